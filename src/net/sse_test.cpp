#include "net/sse.hpp"

#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace cadre;

namespace {

/// Events as lines `type|data|id`, pieces given one after the other.
std::vector<std::string> decoded(net::SseDecoder& decoder, const std::vector<std::string>& pieces)
{
    std::vector<std::string> events;
    for (const std::string& piece : pieces) {
        const std::string alive = piece;  // dies with this turn: the sanitizer sees who still looks at it
        decoder.feed(alive);
        while (const auto event = decoder.next())
            events.push_back(std::string(event->type) + "|" + std::string(event->data) + "|" + std::string(event->id));
    }
    return events;
}

std::vector<std::string> decoded(const std::vector<std::string>& pieces)
{
    net::SseDecoder decoder;
    return decoded(decoder, pieces);
}

using Events = std::vector<std::string>;

struct Case {
    const char* name;
    std::string stream;
    Events events;
};

const std::vector<Case>& cases()
{
    using namespace std::string_literals;
    static const std::vector<Case> all = {
        {"one", "data: hello\n\n", {"message|hello|"}},
        {"no space", "data:hello\n\n", {"message|hello|"}},
        {"only one space goes", "data:  hello \n\n", {"message| hello |"}},
        {"CRLF", "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", {"a|1|", "message|2|"}},
        {"CR", "event: a\rdata: 1\r\rdata: 2\r\r", {"a|1|", "message|2|"}},
        {"mixed ends",
         "data: 1\r\n\ndata: 2\n\r\ndata: 3\r\r\ndata: 4\n\n",
         {"message|1|", "message|2|", "message|3|", "message|4|"}},
        {"byte order mark",
         "\xEF\xBB\xBF"
         "data: 1\n\n",
         {"message|1|"}},
        {"only the first mark",
         "\xEF\xBB\xBF\xEF\xBB\xBF"
         "data: 1\n\ndata: 2\n\n",
         {"message|2|"}},
        {"half a mark",
         "\xEF\xBB"
         "data: 1\n\ndata: 2\n\n",
         {"message|2|"}},
        {"comments", ": hi\n:\ndata: 1\n: there\ndata: 2\n\n:\n\n", {"message|1\n2|"}},
        {"several lines", "data: a\ndata:\ndata: b\n\n", {"message|a\n\nb|"}},
        {"no colon", "data\n\ndata\ndata\n\n", {"message||", "message|\n|"}},
        {"empty data", "data:\n\n", {"message||"}},
        {"type without data", "event: a\n\ndata: 1\n\n", {"message|1|"}},
        {"the last type counts", "event: a\nevent: b\ndata: 1\n\n", {"b|1|"}},
        {"an empty type is the usual one", "event: a\nevent:\ndata: 1\n\n", {"message|1|"}},
        {"ids stay", "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", {"message|a|1", "message|b|1", "message|c|"}},
        {"an id without data counts", "id: 7\n\ndata: a\n\n", {"message|a|7"}},
        {"an id with NUL does not", "id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n"s, {"message|a|1", "message|b|1"}},
        {"NUL in data", "data: a\0b\n\n"s, {"message|a\0b|"s}},
        {"unknown fields", "foo: 1\nData: 2\n data: 3\ndata : 4\nDATA: 5\ndata: 6\n\n", {"message|6|"}},
        {"colons in data", "data: {\"a\": \"b:c\"}\n\n", {"message|{\"a\": \"b:c\"}|"}},
        {"unfinished", "data: a\n\ndata: b\n", {"message|a|"}},
        {"unfinished line", "data: a\n\ndata: b", {"message|a|"}},
        {"many empty lines", "\n\n\r\n\r\rdata: 1\n\n\n\n", {"message|1|"}},
        {"nothing", "", {}},
        {"scripts", "data: žluťoučký 你好 🙂\n\n", {"message|žluťoučký 你好 🙂|"}},
        {"not UTF-8",
         "data: a\xFF"
         "b\n\ndata: \xF0\x9F\n\ndata: \xC3(\n\ndata: \xED\xA0\x80\n\n",
         {"message|a\uFFFDb|", "message|\uFFFD|", "message|\uFFFD(|", "message|\uFFFD\uFFFD\uFFFD|"}},
        {"not UTF-8 elsewhere", "event: \x80\nid: \xC0\ndata: 1\n\n", {"\uFFFD|1|\uFFFD"}},
    };
    return all;
}

}  // namespace

TEST_CASE("sse: the corners of the format")
{
    for (const auto& c : cases()) {
        CAPTURE(c.name);
        CHECK(decoded({c.stream}) == c.events);
    }
}

TEST_CASE("sse: a stream says the same however it is cut in three, and byte by byte")
{
    for (const auto& c : cases()) {
        CAPTURE(c.name);
        const std::string& all = c.stream;
        std::vector<std::string> bytes;
        for (const char byte : all) bytes.emplace_back(1, byte);
        CHECK(decoded(bytes) == c.events);
        for (std::size_t i = 0; i <= all.size(); ++i) {
            for (std::size_t k = i; k <= all.size(); ++k) {
                if (decoded({all.substr(0, i), all.substr(i, k - i), all.substr(k)}) == c.events) continue;
                CAPTURE(i);
                CAPTURE(k);
                CHECK(false);
            }
        }
    }
}

TEST_CASE("sse: an event ends with its empty line, before the LF that may follow a CR")
{
    net::SseDecoder decoder;
    CHECK(decoded(decoder, {"data: 1\r\n\r"}) == Events{"message|1|"});
    CHECK(decoded(decoder, {"\ndata: 2\r", "\n", "\r"}) == Events{"message|2|"});
}

TEST_CASE("sse: an event in one piece is not copied")
{
    net::SseDecoder decoder;
    const std::string piece = "event: delta\ndata: {\"text\":\"hello\"}\n\ndata: [DONE]\n\n";
    decoder.feed(piece);
    for (const char* data : {"{\"text\":\"hello\"}", "[DONE]"}) {
        const auto event = decoder.next();
        REQUIRE(event);
        CHECK(event->data == data);
        CHECK(event->data.data() >= piece.data());
        CHECK(event->data.data() < piece.data() + piece.size());
    }
    CHECK_FALSE(decoder.next());
}

TEST_CASE("sse: retry is taken when it is a number")
{
    net::SseDecoder decoder;
    decoded(decoder, {"retry: 2500\n"});
    CHECK(decoder.retry() == Millis(2500));
    for (const char* line : {"retry: 1s\n", "retry: -1\n", "retry:\n", "retry\n", "retry: 1.5\n", "retry:  1\n",
                             "retry: 99999999999999999999\n"}) {
        CAPTURE(line);
        decoded(decoder, {line});
        CHECK(decoder.retry() == Millis(2500));
    }
    decoded(decoder, {"retry:0\n"});
    CHECK(decoder.retry() == Millis(0));
}

TEST_CASE("sse: lines and events have a limit, in one piece or many")
{
    const auto refusal = [](const std::vector<std::string>& pieces) {
        return test::error_of([&] {
            net::SseDecoder decoder({.line = 20, .event = 30});
            decoded(decoder, pieces);
        });
    };
    const std::string full = "data: " + std::string(14, 'x');
    CHECK(refusal({full + "\n\n"}) == "");
    CHECK(refusal({full + "x\n\n"}) == "too_large: a line of the event stream has more than 20 bytes");
    CHECK(refusal({full, "x"}) == doctest::Contains("a line"));
    CHECK(refusal({": " + std::string(19, 'c')}) == doctest::Contains("a line"));
    CHECK(refusal({full + "\n" + full + "\n\n" + full + "\n\n"}) == "");
    CHECK(refusal({full + "\n" + full + "\ndata\n\n"}) == "");
    CHECK(refusal({full + "\n" + full + "\ndata: y\n\n"}) ==
          "too_large: an event of the event stream has more than 30 bytes");
    CHECK(refusal({full + "\n", full + "\n", "data: y\n\n"}) == doctest::Contains("an event"));
}
