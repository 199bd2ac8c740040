#include "net/http_response.hpp"

#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace cadre;

namespace {

struct Heard {
    int status = 0;
    net::HttpHeaders headers{};
    std::string body{};
    bool keep_alive = false;
    std::string rest{};  // what came after the answer's end

    bool operator==(const Heard&) const = default;
};

/// What comes of these pieces, after which the peer closes.
Heard heard(const std::vector<std::string_view>& pieces, std::string_view method = "GET",
            const net::HttpResponseLimits& limits = {})
{
    net::HttpResponseParser parser(method, limits);
    Heard all;
    std::string bytes;
    for (const std::string_view piece : pieces) {
        bytes += piece;
        while (!parser.done() && !bytes.empty()) {
            const auto [used, body] = parser.next(bytes);
            all.body += body;
            bytes.erase(0, used);
            if (used == 0) break;
        }
    }
    parser.end();
    all.status = parser.status();
    all.headers = parser.headers();
    all.keep_alive = parser.keep_alive();
    all.rest = bytes;
    return all;
}

doctest::String refusal(std::string_view bytes, const net::HttpResponseLimits& limits = {})
{
    return test::error_of([&] { heard({bytes}, "GET", limits); });
}

}  // namespace

TEST_CASE("http response: heads and bodies of all kinds")
{
    struct {
        const char* name;
        const char* method;
        const char* bytes;
        Heard heard;
    } const cases[] = {
        {"length",
         "GET",
         "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
         {200, {{"Content-Length", "5"}}, "hello", true, ""}},
        {"no body",
         "GET",
         "HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n",
         {404, {{"Content-Length", "0"}}, "", true, ""}},
        {"chunks",
         "POST",
         "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nhel\r\n2;x=\"y\"\r\nlo\r\n0\r\nT: 1\r\n\r\n",
         {200, {{"Transfer-Encoding", "Chunked"}}, "hello", true, ""}},
        {"to the end", "GET", "HTTP/1.1 200 OK\r\nX:  a b \r\n\r\nhello", {200, {{"X", "a b"}}, "hello", false, ""}},
        {"1.0",
         "GET",
         "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
         {200, {{"Content-Length", "2"}}, "hi", false, ""}},
        {"1.0 that stays",
         "GET",
         "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi",
         {200, {{"Connection", "keep-alive"}, {"Content-Length", "2"}}, "hi", true, ""}},
        {"close",
         "GET",
         "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi",
         {200, {{"Connection", "close"}, {"Content-Length", "2"}}, "hi", false, ""}},
        {"HEAD",
         "HEAD",
         "HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n",
         {200, {{"Content-Length", "5000000000"}}, "", true, ""}},
        {"204", "GET", "HTTP/1.1 204 None\r\n\r\n", {204, {}, "", true, ""}},
        {"304",
         "GET",
         "HTTP/1.1 304 Same\r\nContent-Length: 9\r\n\r\n",
         {304, {{"Content-Length", "9"}}, "", true, ""}},
        {"100", "GET", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1", {100, {}, "", true, "HTTP/1.1"}},
        {"more than asked",
         "GET",
         "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
         {200, {{"Content-Length", "1"}}, "a", true, "b"}},
        {"tunnel",
         "CONNECT",
         "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n\x16\x03",
         {200, {{"Content-Length", "7"}}, "", false, "\x16\x03"}},
        {"no tunnel",
         "CONNECT",
         "HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nhi",
         {407, {{"Content-Length", "2"}}, "hi", true, ""}},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        CHECK(heard({c.bytes}, c.method) == c.heard);
    }
}

TEST_CASE("http response: an answer says the same wherever it is cut in three, and byte by byte")
{
    const std::string answers[] = {
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        "9\r\ndata: a\n\n\r\nA;e\r\ndata: bc\n\n\r\n1\r\n\n\r\n0\r\nX: y\r\n\r\n",
        "HTTP/1.1 429 Too Many\r\nRetry-After: 2\r\nContent-Length: 30\r\n\r\n{\"error\":{\"message\":\"later\"}}\n",
        "HTTP/1.1 200 OK\r\nServer: x\r\n\r\nto the end\r\n0\r\n\r\n",
    };
    int splits = 0;
    for (const std::string& all : answers) {
        const Heard whole = heard({all});
        const std::string_view view = all;
        std::vector<std::string_view> bytes;
        for (std::size_t i = 0; i < view.size(); ++i) bytes.push_back(view.substr(i, 1));
        CHECK(heard(bytes) == whole);
        for (std::size_t i = 0; i <= view.size(); ++i) {
            for (std::size_t k = i; k <= view.size(); ++k, ++splits) {
                if (heard({view.substr(0, i), view.substr(i, k - i), view.substr(k)}) == whole) continue;
                CAPTURE(i);
                CAPTURE(k);
                FAIL_CHECK("differs");
            }
        }
    }
    CHECK(splits > 10'000);
}

TEST_CASE("http response: an answer cut anywhere is not taken for a whole one")
{
    for (const std::string_view all : {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
                                       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n0\r\n\r\n"})
        for (std::size_t size = 0; size < all.size(); ++size) {
            CAPTURE(size);
            CHECK(refusal(all.substr(0, size)) == doctest::Contains("upstream: the answer was cut off"));
        }
}

TEST_CASE("http response: what is malformed, or could be read in two ways, is refused")
{
    const std::string ok = "HTTP/1.1 200 OK\r\n";
    for (const std::string& bytes :
         std::vector<std::string>{"HTTP/2 200 OK\r\n\r\n",
                                  "HTTP/1.2 200 OK\r\n\r\n",
                                  "HTTP/3.0 200 OK\r\n\r\n",
                                  "HTTP/0.9 200 OK\r\n\r\n",
                                  "http/1.1 200 OK\r\n\r\n",
                                  "HTTP/1.1  200 OK\r\n\r\n",
                                  "HTTP/1.1 20 OK\r\n\r\n",
                                  "HTTP/1.1 2000 OK\r\n\r\n",
                                  "HTTP/1.1 abc OK\r\n\r\n",
                                  "HTTP/1.1 099 OK\r\n\r\n",
                                  "HTTP/1.1 101 Up\r\n\r\n",
                                  "ICY 200 OK\r\n\r\n",
                                  "<html>oops</html>",
                                  "\x16\x03\x01\x02\x03\x04\x05\x06\x07",
                                  "\r\nHTTP/1.1 200 OK\r\n\r\n",
                                  "HTTP/1.1 200 OK\n\n",
                                  ok + "Bad Name: x\r\n\r\n",
                                  ok + ": x\r\n\r\n",
                                  ok + "X: a\rb\r\n\r\n",
                                  ok + "X: a" + std::string(1, '\0') + "b\r\n\r\n",
                                  ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                                  ok + "Content-Length: 1, 2\r\n\r\na",
                                  ok + "Content-Length: -1\r\n\r\na",
                                  ok + "Content-Length: 1x\r\n\r\na",
                                  ok + "Content-Length: 99999999999999999999\r\n\r\n",
                                  ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                                  ok + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
                                  ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                                  ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                                  ok + "Transfer-Encoding: gzip\r\n\r\nx",
                                  ok + "Transfer-Encoding: chunked\r\n\r\nx\r\n0\r\n\r\n",
                                  ok + "Transfer-Encoding: chunked\r\n\r\n-1\r\nx",
                                  ok + "Transfer-Encoding: chunked\r\n\r\n1\r\nabcdef\r\n",
                                  ok + "Transfer-Encoding: chunked\r\n\r\n11111111111111111\r\nx"}) {
        CAPTURE(bytes);
        CHECK(refusal(bytes) == doctest::Contains("upstream: the answer is malformed"));
    }
}

TEST_CASE("http response: head, chunk lines, trailers and body have limits")
{
    const net::HttpResponseLimits limits{.head = 200, .body = 10};
    const std::string ok = "HTTP/1.1 200 OK\r\n";
    const std::string x(300, 'x');
    std::string many = ok;
    for (int i = 0; i < 100; ++i) many += "a: b\r\n";
    const std::string chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";
    for (const std::string& bytes : {"HTTP/1.1 200 " + x, ok + "X: " + x, ok + "X: " + x + "\r\n\r\n", many,
                                     many + "\r\n", chunked + "1;" + x, chunked + "0\r\nX: " + x}) {
        CAPTURE(bytes);
        CHECK(refusal(bytes, limits) == "too_large: the answer's head has more than 200 bytes");
        std::vector<std::string_view> pieces;
        for (std::size_t i = 0; i < bytes.size(); ++i) pieces.push_back(std::string_view(bytes).substr(i, 1));
        CHECK(test::error_of([&] { heard(pieces, "GET", limits); }) ==
              doctest::Contains("too_large: the answer's head"));
    }
    CHECK(refusal(ok + "Content-Length: 11\r\n\r\n", limits) == "too_large: the answer's body has more than 10 bytes");
    CHECK(refusal(chunked + "A\r\n0123456789\r\n1\r\nx", limits) == doctest::Contains("too_large: the answer's body"));
    CHECK(refusal(ok + "\r\n0123456789x", limits) == doctest::Contains("too_large: the answer's body"));
    CHECK(refusal(ok + "Content-Length: 10\r\n\r\n0123456789", limits) == "");
    CHECK(refusal(chunked + "A\r\n0123456789\r\n0\r\n\r\n", limits) == "");
}
