#include "base/error.hpp"
#include "base/json.hpp"
#include "mcp/json_rpc.hpp"
#include "mcp/line_framing.hpp"
#include "mcp/test_has.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::mcp;
using cadre::mcp::test::Has;

namespace {

std::string refusal(std::string_view text, const MessageLimits& limits = {})
{
    try {
        read_messages(text, limits);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::vector<std::string> lines_of(std::string_view text, std::size_t piece, std::size_t longest = 100)
{
    LineFraming framing(longest);
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at += piece) {
        framing.feed(text.substr(at, piece));
        while (const auto line = framing.next()) lines.emplace_back(*line);
    }
    return lines;
}

}  // namespace

TEST_CASE("JSON-RPC: what is read is written again")
{
    const char* const texts[] = {
        R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}})",
        R"({"jsonrpc":"2.0","id":"x-\"1","method":"ping"})",
        R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":0.5}})",
        R"({"jsonrpc":"2.0","id":7,"result":{}})",
        R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}})",
        R"({"jsonrpc":"2.0","id":-3,"error":{"code":-32602,"message":"no","data":{"a":[1,2.0]}}})",
    };
    for (const char* text : texts) {
        const auto read = read_messages(text);
        REQUIRE(read.size() == 1);
        CHECK(to_text(read[0]) == text);
    }
}

TEST_CASE("JSON-RPC: what is no message is refused")
{
    struct {
        const char* text;
        const char* says;
    } const cases[] = {
        {"[]", "empty list"},
        {"7", "not an object"},
        {R"({"id":1,"result":{}})", "jsonrpc"},
        {R"({"jsonrpc":"1.0","id":1,"result":{}})", "jsonrpc"},
        {R"({"jsonrpc":"2.0","id":null,"method":"a"})", "id"},
        {R"({"jsonrpc":"2.0","id":1.5,"method":"a"})", "id"},
        {R"({"jsonrpc":"2.0","id":18446744073709551615,"result":{}})", "id"},
        {R"({"jsonrpc":"2.0","method":5})", "method"},
        {R"({"jsonrpc":"2.0","method":"a","params":[1]})", "params"},
        {R"({"jsonrpc":"2.0","result":{}})", "neither"},
        {R"({"jsonrpc":"2.0","id":1,"id":2,"result":{}})", "id"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(refusal(c.text) == Has(c.says));
    }
}

TEST_CASE("JSON-RPC: an answer that makes no sense reaches whoever waits for it")
{
    for (const char* text : {R"({"jsonrpc":"2.0","id":4})", R"({"jsonrpc":"2.0","id":4,"result":[]})",
                             R"({"jsonrpc":"2.0","id":4,"result":{},"error":{"code":1,"message":""}})",
                             R"({"jsonrpc":"2.0","id":4,"error":"no"})"}) {
        CAPTURE(text);
        const auto read = read_messages(text);
        const auto& response = std::get<Response>(read.at(0));
        CHECK(response.id == Id(std::int64_t{4}));
        CHECK(std::get<RpcError>(response.outcome).code == kSenseless);
    }
}

TEST_CASE("JSON-RPC: bounds hold for bytes, depth, values and the messages of a batch")
{
    const std::string one = R"({"jsonrpc":"2.0","method":"a"})";
    CHECK(read_messages("[" + one + "," + one + "]").size() == 2);
    CHECK(refusal("[" + one + "," + one + "]", {.batch = 1}) == Has("too many"));
    CHECK(!refusal(one, {.bytes = 10}).empty());
    const std::string deep =
        R"({"jsonrpc":"2.0","id":1,"result":{"a":)" + std::string(70, '[') + std::string(70, ']') + "}}";
    CHECK(!refusal(deep).empty());
    CHECK(!refusal(R"({"jsonrpc":"2.0","id":1,"result":{"a":[1,2,3,4,5,6,7,8,9]}})", {.nodes = 10}).empty());
    const auto long_error =
        read_messages(R"({"jsonrpc":"2.0","id":1,"error":{"code":5,"message":")" + std::string(9000, 'x') + "\"}}");
    CHECK(std::get<RpcError>(std::get<Response>(long_error[0]).outcome).message.size() == 4096);
}

TEST_CASE("lines come out the same however the bytes are cut")
{
    const std::string_view text = "one\ntwo\r\n\n  \nthree and more\n\r\nlast\nwithout end";
    const std::vector<std::string> expected{"one", "two", "three and more", "last"};
    for (std::size_t piece = 1; piece <= text.size(); ++piece) CHECK(lines_of(text, piece) == expected);
}

TEST_CASE("a line without end is refused before it fills the memory")
{
    LineFraming framing(1000);
    const std::string piece(300, 'x');
    for (int i = 0; i < 3; ++i) {
        framing.feed(piece);
        CHECK_FALSE(framing.next());
    }
    framing.feed(piece);
    CHECK_THROWS_AS(framing.next(), Error);
    CHECK_THROWS_AS(lines_of(std::string(101, 'x') + "\n", 200), Error);
    CHECK(lines_of(std::string(100, 'x') + "\n", 7).size() == 1);
}
