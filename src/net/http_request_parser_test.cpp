#include "net/http_request_parser.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace cadre;
using namespace cadre::net;

namespace {

struct Parsed {
    HttpHead head{};
    std::string body{};
    std::size_t used = 0;
    bool done = false;
    bool keep_alive = false;

    bool operator==(const Parsed&) const = default;
};

/// Fed in pieces of that size, what is not understood being fed again.
Parsed parse(std::string_view text, std::size_t piece, const HttpLimits& limits = {})
{
    HttpRequestParser parser(limits);
    Parsed out;
    std::string waiting;
    for (std::size_t at = 0; at < text.size() && !parser.done(); at += piece) {
        waiting += text.substr(at, piece);
        while (!parser.done()) {
            const std::size_t used = parser.feed(waiting);
            waiting.erase(0, used);
            out.used += used;
            if (used == 0) break;
        }
        out.body += parser.take_body();
    }
    out.done = parser.done();
    if (parser.has_head()) {
        out.head = parser.head();
        out.keep_alive = parser.keep_alive();
    }
    return out;
}

int status_of(std::string_view text, const HttpLimits& limits = {})
{
    try {
        const Parsed parsed = parse(text, text.size(), limits);
        return parsed.done ? 200 : 0;
    } catch (const HttpRefusal& refusal) {
        return refusal.status();
    }
}

constexpr std::string_view kHost = "Host: a\r\n";

std::string request(std::string_view line, std::string_view rest)
{
    return std::string(line) + "\r\n" + std::string(kHost) + std::string(rest);
}

}  // namespace

TEST_CASE("a request is the same request wherever its bytes are split")
{
    const std::string texts[] = {
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "\r\n\r\nPOST /v1/x?a=1&b=%20 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nX-One:  spaced \r\n\r\nhello",
        "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;ext=1;b=\"c\\\"d\"\r\n "
        "world\r\n0\r\nTrailer: "
        "x\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "GET http://a:80/path?q HTTP/1.0\r\n\r\n",
    };
    for (const std::string& text : texts) {
        CAPTURE(text);
        const Parsed whole = parse(text + "GET /next", text.size() + 9);
        CHECK(whole.done);
        CHECK(whole.used == text.size());  // what comes behind it is the next one's
        for (std::size_t piece = 1; piece < text.size(); ++piece) CHECK(parse(text, piece) == whole);
    }
    CHECK(parse(texts[1], 1).body == "hello");
    CHECK(parse(texts[1], 1).head.path == "/v1/x");
    CHECK(parse(texts[1], 1).head.query == "a=1&b=%20");
    CHECK(find_header(parse(texts[1], 1).head.headers, "x-one") == "spaced");
    CHECK(parse(texts[2], 1).body == "hello world");
    CHECK(!find_header(parse(texts[2], 1).head.headers, "Trailer"));
    CHECK(!parse(texts[3], 1).keep_alive);
    CHECK(parse(texts[4], 1).head.path == "/path");
    CHECK(!parse(texts[4], 1).keep_alive);
}

TEST_CASE("what is no request, or one that two servers could understand differently, is refused with its status")
{
    struct {
        const char* name;
        std::string text;
        int status;
    } const cases[] = {
        {"no HTTP", "hello\r\n\r\n", 400},
        {"TLS", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), 400},
        {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
        {"HTTP/3", request("GET / HTTP/3.0", "\r\n"), 505},
        {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
        {"two hosts", request("GET / HTTP/1.1", "Host: b\r\n\r\n"), 400},
        {"no path", request("GET example HTTP/1.1", "\r\n"), 400},
        {"length and chunks", request("POST / HTTP/1.1", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"),
         400},
        {"chunks and length", request("POST / HTTP/1.1", "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"),
         400},
        {"two lengths", request("POST / HTTP/1.1", "Content-Length: 3\r\nContent-Length: 4\r\n\r\n"), 400},
        {"negative length", request("POST / HTTP/1.1", "Content-Length: -3\r\n\r\n"), 400},
        {"other coding", request("POST / HTTP/1.1", "Transfer-Encoding: gzip, chunked\r\n\r\n"), 501},
        {"old chunks", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        {"space before colon", request("GET / HTTP/1.1", "X : 1\r\n\r\n"), 400},
        {"line feeds", "GET / HTTP/1.1\nHost: a\n\n", 400},
        {"other expectation", request("GET / HTTP/1.1", "Expect: tea\r\n\r\n"), 417},
        {"open quote", request("POST / HTTP/1.1", "Transfer-Encoding: chunked\r\n\r\n3;a=\"b\r\nabc"), 400},
        {"bad chunk", request("POST / HTTP/1.1", "Transfer-Encoding: chunked\r\n\r\nzz\r\n"), 400},
        {"huge chunk", request("POST / HTTP/1.1", "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"), 413},
        {"huge length", request("POST / HTTP/1.1", "Content-Length: 99999999999\r\n\r\n"), 413},
        {"wide head", request("GET / HTTP/1.1", "X: " + std::string(40'000, 'x') + "\r\n\r\n"), 431},
        {"long line", "GET /" + std::string(40'000, 'x'), 414},
        {"long target", request("GET /" + std::string(8'192, 'x') + " HTTP/1.1", "\r\n"), 414},
        {"endless chunk line",
         request("POST / HTTP/1.1", "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(40'000, 'x')), 431},
        {"half a request", request("GET / HTTP/1.1", ""), 0},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        CHECK(status_of(c.text) == c.status);
    }
}

TEST_CASE("limits hold for what arrives line by line as for what comes at once")
{
    std::string many;
    for (int i = 0; i < 101; ++i) many += "X-" + std::to_string(i) + ": 1\r\n";
    CHECK(status_of(request("GET / HTTP/1.1", many + "\r\n")) == 431);
    std::string wide;
    for (int i = 0; i < 90; ++i) wide += "X-" + std::to_string(i) + ": " + std::string(500, 'x') + "\r\n";
    const std::string text = request("GET / HTTP/1.1", wide + "\r\n");
    for (const std::size_t piece : {std::size_t{100}, text.size()}) {
        int status = 0;
        try {
            parse(text, piece);
        } catch (const HttpRefusal& refusal) {
            status = refusal.status();
        }
        CHECK(status == 431);
    }
    const std::string five =
        request("POST / HTTP/1.1", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
    CHECK(status_of(five, {.body = 5}) == 200);
    CHECK(status_of(five, {.body = 4}) == 413);
}
