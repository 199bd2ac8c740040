#include "base/error.hpp"
#include "base/json.hpp"
#include "mcp/content.hpp"
#include "mcp/http_headers.hpp"
#include "mcp/server_entry.hpp"
#include "mcp/sse_transport.hpp"
#include "mcp/test_has.hpp"
#include "mcp/tool_definition.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::mcp;
using cadre::mcp::test::Has;

namespace {

json::object object(std::string_view text)
{
    return parse_json(text).as_object();
}

std::string problem(std::string_view text)
{
    return read_definition(object(text), "s", false).problem;
}

std::string entry_problem(model::framework::MCPServer server)
{
    try {
        entry_of(server, [](const std::string& name) {
            return name == "SET" ? std::optional<std::string>("v") : std::nullopt;
        });
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("a tool that cannot be used is left out, with the reason")
{
    CHECK(problem(R"({"name":"a b","inputSchema":{}})") == Has("name"));
    CHECK(problem(R"({"inputSchema":{}})") == Has("name"));
    CHECK(problem(R"({"name":"a"})") == Has("inputSchema"));
    CHECK(problem(R"({"name":"a","inputSchema":{"type":7}})") == Has("inputSchema"));
    CHECK(problem(R"({"name":"a","inputSchema":{"$ref":"https://example.org/schema.json"}})") == Has("inputSchema"));
    CHECK(problem(R"({"name":"a","inputSchema":{},"outputSchema":{"pattern":"("}})") == Has("outputSchema"));
    json::object large{{"name", "a"}, {"inputSchema", json::object{}}, {"description", std::string(300'000, 'x')}};
    CHECK(read_definition(large, "s", false).problem == Has("256 KiB"));
    const auto fine = read_definition(
        object(R"({"name":"a/b.c","title":"T","inputSchema":{"type":"object"},"outputSchema":{}})"), "s", false);
    REQUIRE(fine.tool);
    CHECK(fine.tool->description == "T");
    CHECK(fine.tool->server == "s");
}

TEST_CASE("another description, another hash; another order, the same")
{
    const auto hash = [](std::string_view text) { return definition_hash(object(text)); };
    const std::string first =
        hash(R"({"name":"a","description":"d","inputSchema":{"type":"object","required":["x"]}})");
    CHECK(hash(R"({"inputSchema":{"required":["x"],"type":"object"},"description":"d","name":"a","_meta":{"x":1}})") ==
          first);
    CHECK(hash(R"({"name":"a","description":"D","inputSchema":{"type":"object","required":["x"]}})") != first);
    CHECK(hash(R"({"name":"a","description":"d","inputSchema":{"type":"object","required":["y"]}})") != first);
    CHECK(
        hash(
            R"({"name":"a","description":"d","inputSchema":{"type":"object","required":["x"]},"annotations":{"readOnlyHint":true}})") !=
        first);
}

TEST_CASE("tools keep their names unless two would have the same")
{
    const std::vector<Offered> offered{{"one", "read"}, {"two", "read"}, {"two", "write"}, {"two", "clock"}};
    CHECK(tool_names(offered, {"clock"}) == std::vector<std::string>{"one__read", "two__read", "write", "two__clock"});
}

TEST_CASE("answers: texts, media, resources and structure in our terms")
{
    const auto result = to_result(object(R"({"isError":false,"structuredContent":{"n":1},"content":[
        {"type":"text","text":"one"},{"type":"text","text":"two"},
        {"type":"image","mimeType":"image/png","data":"AAAA"},{"type":"audio","mimeType":"audio/wav","data":"BBBB"},
        {"type":"resource","resource":{"uri":"file:///a","text":"inside"}},
        {"type":"resource","resource":{"uri":"file:///b","mimeType":"application/zip","blob":"AAAAAAAA"}},
        {"type":"resource_link","uri":"file:///c","name":"see"},{"type":"hologram"},"noise"]})"));
    CHECK(result.text == "one\ntwo\ninside\n[application/zip at file:///b, 6 bytes]\n[see: file:///c]\n[content of the "
                         "unknown type \"hologram\"]");
    CHECK(result.media == std::vector<tools::Media>{{"image/png", "AAAA"}, {"audio/wav", "BBBB"}});
    CHECK(result.structured == json::value{{"n", 1}});
    CHECK_FALSE(result.is_error);
    CHECK(to_result(object(R"({"structuredContent":[1,2],"content":[]})")).text == "[1,2]");
    CHECK(to_result(object(R"({"content":"x","isError":"yes"})")).text.empty());
}

TEST_CASE("header values that a header cannot carry are written in base64")
{
    CHECK(header_value("us west 1") == "us west 1");
    CHECK(header_value("") == "");
    CHECK(header_value(" padded ") == "=?base64?IHBhZGRlZCA=?=");
    CHECK(header_value("a\r\nX: y") == "=?base64?YQ0KWDogeQ==?=");
    CHECK(header_value("=?base64?QQ==?=") == "=?base64?PT9iYXNlNjQ/UVE9PT89?=");
    CHECK(header_value("世界") == "=?base64?5LiW55WM?=");
}

TEST_CASE("annotations of headers that cannot be followed are found")
{
    const auto at = [](std::string_view property) {
        return header_problem(object(R"({"type":"object","properties":{"a":)" + std::string(property) + "}}"));
    };
    CHECK_FALSE(at(R"({"type":"string","x-mcp-header":"Region"})"));
    CHECK_FALSE(at(R"({"type":"object","properties":{"b":{"type":"integer","x-mcp-header":"N"}}})"));
    CHECK_FALSE(at(R"({"const":{"x-mcp-header":""}})"));
    for (const char* bad :
         {R"({"type":"string","x-mcp-header":""})", R"({"type":"number","x-mcp-header":"A"})",
          R"({"type":"null","x-mcp-header":"A"})", R"({"type":"string","x-mcp-header":"A B"})",
          R"({"type":"string","x-mcp-header":"A:B"})", R"({"type":"string","x-mcp-header":"R\u00e9"})",
          R"({"type":"string","x-mcp-header":7})", R"({"anyOf":[{"type":"string","x-mcp-header":"A"}]})",
          R"({"type":"array","items":{"type":"string","x-mcp-header":"A"}})",
          R"({"type":"string","x-mcp-header":"Q"},"b":{"type":"string","x-mcp-header":"q"})"}) {
        CAPTURE(bad);
        CHECK(at(bad));
    }
}

TEST_CASE("the place to post to lies where the stream does")
{
    const std::string at = "http://localhost:3001/a/sse?x=1";
    CHECK(endpoint_url(at, "/message?id=1") == "http://localhost:3001/message?id=1");
    CHECK(endpoint_url(at, "message") == "http://localhost:3001/a/message");
    CHECK(endpoint_url(at, "http://localhost:3001/m") == "http://localhost:3001/m");
    for (const char* bad :
         {"http://localhost:3002/m", "https://localhost:3001/m", "http://evil.example/m", "//evil.example/m"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(endpoint_url(at, bad), Error);
    }
}

TEST_CASE("entries: variables, limits and permissions, with errors that name the fix")
{
    using model::framework::TransportType;
    model::framework::MCPServer stdio{
        .name = "s", .config = object(R"({"command":"npx","args":["-y"],"env":{"TOKEN":"${SET}","PATH":"/bin"}})")};
    const auto variables = [](const std::string& name) -> std::optional<std::string> {
        if (name == "SET") return "value-of-set";
        if (name == "PATH") return "/usr/bin";
        if (name == "HOME") return "/root";
        if (name == "OPENAI_API_KEY") return "sk-no";
        return std::nullopt;
    };
    const ServerEntry entry = entry_of(stdio, variables);
    CHECK(entry.argv == std::vector<std::string>{"npx", "-y"});
    CHECK(entry.environment == std::vector<std::string>{"HOME=/root", "TOKEN=value-of-set", "PATH=/bin"});
    CHECK_FALSE(entry.trusted);
    CHECK_FALSE(entry.client.sampling);

    model::framework::MCPServer http{
        .name = "h",
        .transport = TransportType::streamable_http,
        .config = object(
            R"({"url":"https://h.example/mcp","headers":{"Authorization":"Bearer ${SET}","X":"${NO:-d}$${x}"}})"),
        .ext = object(R"({"trusted":true,"elicitation":true,"roots":["/data"],"timeout_seconds":9})")};
    const ServerEntry web = entry_of(http, variables);
    CHECK(web.headers == net::HttpHeaders{{"Authorization", "Bearer value-of-set"}, {"X", "d${x}"}});
    CHECK(web.trusted);
    CHECK(web.client.elicitation);
    CHECK(web.client.roots == std::vector<std::string>{"file:///data"});
    CHECK(web.client.idle == std::chrono::seconds(9));

    http.config = object(R"({"url":"https://h.example/mcp","headers":{"Authorization":"Bearer ${GONE}"}})");
    CHECK(entry_problem(http) ==
          R"(MCP server h: `headers.Authorization` needs the environment variable "GONE", which is not set: set it)");
    stdio.ext = object(R"({"trusted":"yes"})");
    stdio.config = object(R"({"command":"a"})");
    CHECK(entry_problem(stdio) == Has("`ext.trusted` must be true or false"));
    stdio.ext = object(R"({"roots":["data"]})");
    CHECK(entry_problem(stdio) == Has("not an absolute path"));
}
