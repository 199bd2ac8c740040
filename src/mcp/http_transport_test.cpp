#include "mcp/http_transport.hpp"
#include "mcp/scripted_server_fixture.hpp"
#include "mcp/scripted_web_fixture.hpp"
#include "mcp/sse_transport.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace cadre;
using namespace cadre::mcp;
using namespace cadre::mcp::test;
using namespace std::chrono_literals;

namespace {

Request request_in(const net::HttpRequest& http)
{
    const auto messages = read_messages(http.body);
    const auto* request = std::get_if<Request>(&messages.at(0));
    return request ? *request : Request{};
}

Reply as_json(const net::HttpRequest& asked, std::string_view result, int status = 200)
{
    return {
        .status = status,
        .headers = {{"Content-Type", "application/json"}, {"Mcp-Session-Id", "session-1"}},
        .pieces = {fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", to_text(request_in(asked).id), result)}};
}

Reply as_events(std::vector<std::string> pieces, bool open = false)
{
    return {.headers = {{"Content-Type", "text/event-stream"}}, .pieces = std::move(pieces), .open = open};
}

constexpr std::string_view kGreeting =
    R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}})";

/// A legacy server; `call` answers tools/call.
std::function<std::optional<Reply>(const net::HttpRequest&)>
legacy(std::function<std::optional<Reply>(const net::HttpRequest&)> call)
{
    return [call](const net::HttpRequest& asked) -> std::optional<Reply> {
        if (asked.method == "GET" && !net::find_header(asked.headers, "Last-Event-ID")) return Reply{.status = 405};
        if (asked.method != "POST") return call(asked);
        const std::string method = request_in(asked).method;
        if (method == "server/discover") return Reply{.status = 400, .pieces = {"Bad Request: no session"}};
        if (method == "initialize") return as_json(asked, kGreeting);
        if (method == "tools/call") return call(asked);
        return Reply{.status = 202};
    };
}

struct Wired {
    explicit Wired(std::function<std::optional<Reply>(const net::HttpRequest&)> answer, bool old = false)
    {
        web.answer = std::move(answer);
        HttpPlace place{"http://localhost:1/mcp", {{"Authorization", "Bearer t"}}};
        std::unique_ptr<Transport> transport;
        if (old) transport = std::make_unique<SseTransport>(loop, web, place, quiet());
        else transport = std::make_unique<HttpTransport>(loop, web, place, quiet());
        ClientOptions options{.server = "s"};
        if (old) options.era = Era::legacy;
        client = std::make_unique<Client>(loop, std::move(transport), std::move(options), quiet());
        run(loop, client->open());
    }
    std::string call()
    {
        try {
            return to_text(json::value(run(loop, client->call_tool("a", {}))));
        } catch (const tools::NotDispatched& error) {
            return std::string("!") + error.what();
        } catch (const Error& error) {
            return error.what();
        }
    }
    SimLoop loop;
    Web web;
    std::unique_ptr<Client> client;
};

}  // namespace

TEST_CASE("streamable HTTP: a legacy server is greeted, its session kept and ended")
{
    Wired wired(legacy([](const net::HttpRequest& asked) -> std::optional<Reply> {
        if (asked.method == "DELETE") return Reply{.status = 204};
        CHECK(net::find_header(asked.headers, "Mcp-Session-Id") == "session-1");
        CHECK(net::find_header(asked.headers, "MCP-Protocol-Version") == "2025-11-25");
        CHECK(net::find_header(asked.headers, "Authorization") == "Bearer t");
        CHECK(net::find_header(asked.headers, "Accept") == "application/json, text/event-stream");
        return as_json(asked, R"({"n":1})");
    }));
    CHECK(wired.call() == R"({"n":1})");
    run(wired.loop, wired.client->close());
    CHECK(wired.web.count("DELETE") == 1);
    CHECK(wired.web.count("GET") == 1);  // 405: not asked again
}

TEST_CASE("streamable HTTP: an answer comes in a stream, after what belongs to it")
{
    Wired wired(legacy([](const net::HttpRequest& asked) -> std::optional<Reply> {
        const std::string id = to_text(request_in(asked).id);
        return as_events({": hello\n\nda",
                          "ta: "
                          "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                          "message\",\"params\":{\"level\":\"info\",\"data\":\"x\"}}\n\n",
                          "data: {\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"n\":2}}\n\n"});
    }));
    std::string said;
    wired.client->on_log = [&](std::string_view, std::string_view, std::string_view text) { said = text; };
    CHECK(wired.call() == R"({"n":2})");
    CHECK(said == "x");
}

TEST_CASE("streamable HTTP: a stream that breaks off is taken up where it was, when the server wants it")
{
    std::string id;
    Wired wired(legacy([&](const net::HttpRequest& asked) -> std::optional<Reply> {
        if (asked.method == "POST") {
            id = to_text(request_in(asked).id);
            return as_events({"id: e1\nretry: 700\ndata: \n\n"});
        }
        CHECK(net::find_header(asked.headers, "Last-Event-ID") == "e1");
        return as_events({"id: e2\ndata: {\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"n\":3}}\n\n"});
    }));
    const Instant before = wired.loop.now();
    CHECK(wired.call() == R"({"n":3})");
    CHECK(wired.loop.now() - before == 700ms);
    CHECK(wired.web.count("GET") == 2);
}

TEST_CASE("streamable HTTP: what goes wrong says what, and whether the call has left")
{
    struct {
        std::optional<Reply> reply;
        const char* says;
    } const cases[] = {
        {std::nullopt, "!MCP server s: nobody listens"},
        {as_events({"data: {}\n\n"}), "no JSON-RPC message"},
        {as_events({": nothing\n\n"}), "ended its answer before it was whole"},
        {Reply{.status = 401}, "wants to know who asks (HTTP 401)"},
        {Reply{.status = 307}, "has moved (HTTP 307)"},
        {Reply{.status = 500, .pieces = {"<html>"}}, "answered with HTTP 500"},
        {Reply{.status = 202}, "took the request and did not answer it"},
        {Reply{.headers = {{"Content-Type", "application/json"}}, .pieces = {"{\"jsonrpc\""}}, "sent"},
        {Reply{.headers = {{"Content-Type", "application/json"}},
               .pieces = {R"({"jsonrpc":"2.0","id":777,"result":{}})"}},
         "answered something else"},
        {Reply{.status = 400, .pieces = {R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"bad"}})"}},
         "answered: bad (error -32600)"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.says);
        Wired wired(legacy([&](const net::HttpRequest&) { return c.reply; }));
        const std::string said = wired.call();
        CHECK(said == Has(c.says));
        CHECK(said.starts_with('!') == !c.reply);
        CHECK(wired.client->is_open());
    }
}

TEST_CASE("streamable HTTP: a session that the server has forgotten is begun anew")
{
    Wired wired(legacy([calls = 0](const net::HttpRequest& asked) mutable -> std::optional<Reply> {
        if (++calls == 1) return Reply{.status = 404};
        return as_json(asked, R"({"n":4})");
    }));
    CHECK(wired.call() == R"({"n":4})");
    int greetings = 0;
    for (const auto& asked : wired.web.asked)
        if (asked.method == "POST" && request_in(asked).method == "initialize") {
            ++greetings;
            CHECK_FALSE(net::find_header(asked.headers, "Mcp-Session-Id"));
        }
    CHECK(greetings == 2);
}

TEST_CASE("streamable HTTP: a modern server is posted to and nothing else")
{
    Wired wired([](const net::HttpRequest& asked) -> std::optional<Reply> {
        CHECK(asked.method == "POST");
        const Request request = request_in(asked);
        CHECK(net::find_header(asked.headers, "Mcp-Method") == request.method);
        if (request.method == "server/discover")
            return as_json(asked, R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})");
        if (request.method == "tools/list") return as_json(asked, R"({"tools":[]})");
        return as_json(asked, R"({"resultType":"complete","n":5})");
    });
    CHECK(wired.call() == R"({"resultType":"complete","n":5})");
    run(wired.loop, wired.client->close());
}

TEST_CASE("HTTP+SSE: answers come on the one stream, posts go where it says")
{
    // the stream of this test is fed from a queue, as the posts come in
    auto fed = std::make_shared<Channel<std::string>>(100);
    struct Stream final : net::HttpReply {
        explicit Stream(std::shared_ptr<Channel<std::string>> f) : fed(std::move(f)) {}
        int status() const override { return 200; }
        const net::HttpHeaders& headers() const override { return none; }
        Async<std::optional<std::string_view>> read() override
        {
            auto next = co_await fed->receive();
            if (!next) co_return std::nullopt;
            piece = std::move(*next);
            co_return std::string_view(piece);
        }
        std::shared_ptr<Channel<std::string>> fed;
        std::string piece;
        net::HttpHeaders none;
    };
    struct Old final : net::Http {
        Async<std::unique_ptr<net::HttpReply>> send(net::HttpRequest request) override
        {
            if (request.method == "GET") {
                fed->try_send("event: endpoint\ndata: /post?s=1\n\n");
                co_return std::make_unique<Stream>(fed);
            }
            CHECK(request.url == "http://localhost:1/post?s=1");
            const Request asked = request_in(request);
            const std::string result = asked.method == "initialize" ? std::string(kGreeting) : R"({"n":6})";
            if (!asked.method.empty())
                fed->try_send(fmt::format("data: {{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{}}}\n\n",
                                          to_text(asked.id), result));
            co_return std::make_unique<ScriptedReply>(Reply{.status = 202});
        }
        std::shared_ptr<Channel<std::string>> fed;
    };
    SimLoop loop;
    Old old;
    old.fed = fed;
    Client client(loop, std::make_unique<SseTransport>(loop, old, HttpPlace{"http://localhost:1/sse", {}}, quiet()),
                  {.server = "s", .era = Era::legacy}, quiet());
    run(loop, client.open());
    CHECK(to_text(json::value(run(loop, client.call_tool("a", {})))) == R"({"n":6})");
    fed->close();
    CHECK_THROWS_WITH_AS(run(loop, client.call_tool("a", {})), doctest::Contains("closed its stream"), Error);
}
