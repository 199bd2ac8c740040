#include "mcp/mcp_tool.hpp"
#include "mcp/scripted_server_fixture.hpp"

#include "base/pool.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::mcp;
using namespace cadre::mcp::test;
using namespace std::chrono_literals;
using model::framework::TransportType;

namespace {

struct Caller final : tools::ToolContext {
    explicit Caller(Loop& loop) : loop_pool(loop) {}
    void progress(std::string_view text) noexcept override { said += text; }
    void log(Level, std::string_view) noexcept override {}
    Pool& pool() override { return loop_pool; }
    Async<model::HumanAnswer> ask(model::HumanRequestType, json::object context) override
    {
        asked.push_back(std::move(context));
        co_return answer;
    }
    Async<tools::Sample> sample(tools::SampleRequest request) override
    {
        sampled.push_back(request.messages.at(0).text);
        co_return tools::Sample{.text = "42", .model = "m"};
    }
    Async<tools::Result> remember(boost::json::object) override
    {
        throw Error(Code::invalid, "there is no memory here");
    }
    Async<tools::Result> recall(boost::json::object) override { throw Error(Code::invalid, "there is no memory here"); }
    LoopPool loop_pool;
    std::string said;
    std::vector<json::object> asked;
    std::vector<std::string> sampled;
    model::HumanAnswer answer;
};

/// A server whose every start makes a new world.
struct Supervised {
    explicit Supervised(
        ServerEntry entry = {},
        std::function<std::shared_ptr<World>(TransportType)> make = [](TransportType) { return legacy_world(); })
    {
        entry.name = "s";
        server = std::make_shared<Server>(
            loop, std::move(entry),
            [this, make](TransportType kind) -> std::unique_ptr<Transport> {
                auto world = make(kind);
                if (!world) throw Error(Code::not_found, "there is no program \"s\"");
                worlds.push_back(world);
                world->methods["tools/list"] = [](World& w, const Request& r) {
                    w.result(r, object(R"({"tools":[{"name":"a","description":"d","inputSchema":{"type":"object"},
                        "annotations":{"readOnlyHint":true}},{"name":"broken","inputSchema":{"type":5}},{"name":"a","inputSchema":{}}]})"));
                };
                return std::make_unique<ScriptedTransport>(world);
            },
            quiet());
    }
    ~Supervised() { run(loop, server->close()); }

    std::string call(std::string name = "a", json::object arguments = {})
    {
        McpTool tool(server, {.definition = {.name = name}}, "x");
        try {
            const tools::Result result = run(loop, tool.call({.arguments = std::move(arguments), .key = "K"}, caller));
            return (result.is_error ? "error: " : "") + result.text;
        } catch (const tools::NotDispatched& error) {
            return std::string("!") + error.what();
        } catch (const Error& error) {
            return std::string("?") + error.what();
        }
    }

    SimLoop loop;
    Caller caller{loop};
    std::vector<std::shared_ptr<World>> worlds;
    std::shared_ptr<Server> server;
};

void say(World& w, const Request& r)
{
    w.result(r, object(R"({"content":[{"type":"text","text":"hello"}]})"));
}

}  // namespace

TEST_CASE("a server is started when it is first needed, and once")
{
    Supervised s;
    CHECK(s.worlds.empty());
    CHECK(run(s.loop, s.server->tools())->size() == 1);
    s.worlds[0]->methods["tools/call"] = say;
    CHECK(s.call() == "hello");
    CHECK(s.worlds.size() == 1);
    CHECK(s.worlds[0]->last("tools/call").params.at("_meta").at("idempotencyKey") == "K");
}

TEST_CASE("an answer whose content is none is not one that says nothing")
{
    Supervised s;
    CHECK(run(s.loop, s.server->tools())->size() == 1);
    s.worlds[0]->methods["tools/call"] = [](World& w, const Request& r) { w.result(r, object(R"({"content":5})")); };
    CHECK(s.call() == "?MCP server s sent an answer that makes no sense: its `content` is not a list");
}

TEST_CASE("a server that ended is started again, later each time it ends soon")
{
    Supervised s;
    std::vector<Millis> at;
    for (int i = 0; i < 3; ++i) {
        CHECK(run(s.loop, s.server->tools())->size() == 1);
        at.push_back(std::chrono::floor<Millis>(s.loop.now() - Instant{}));
        s.worlds.back()->methods["tools/call"] = [](World& w, const Request&) { w.inbox.close(); };
        CHECK(s.call() == "?MCP server s: ended with exit code 1 before tools/call was answered");
    }
    CHECK(at == std::vector<Millis>{0ms, 500ms, 1500ms});
    CHECK(s.server->starts() == 3);
    CHECK(s.worlds[0]->closed);
    CHECK(s.call() == Has("!MCP server s does not work"));
    run(s.loop, sleep_for(2s));
    CHECK(run(s.loop, s.server->tools())->size() == 1);
}

TEST_CASE("a server that cannot be started costs no call its outcome")
{
    Supervised s({}, [](TransportType) { return std::shared_ptr<World>(); });
    CHECK(s.call() == "!MCP server s: there is no program \"s\"");
    CHECK(s.call() == "!MCP server s: there is no program \"s\"");
    CHECK(s.call() == "!MCP server s: there is no program \"s\"");
    CHECK(s.call() == Has("it is tried again in"));
    CHECK(s.server->starts() == 3);
}

TEST_CASE("an address that speaks only the oldest transport is found out, and remembered")
{
    std::vector<TransportType> kinds;
    Supervised s({.transport = TransportType::streamable_http}, [&](TransportType kind) {
        kinds.push_back(kind);
        if (kind == TransportType::sse) return legacy_world();
        auto world = std::make_shared<World>();
        world->http = true;
        world->methods["server/discover"] = world->methods["initialize"] = [](World& w, const Request& r) {
            w.inbox.try_send(Lost{.id = std::get<std::int64_t>(r.id), .text = "no", .status = 405});
        };
        return world;
    });
    CHECK(run(s.loop, s.server->tools())->size() == 1);
    s.worlds.back()->inbox.close();
    s.loop.settle();
    CHECK(run(s.loop, s.server->tools())->size() == 1);
    CHECK(kinds == std::vector{TransportType::streamable_http, TransportType::sse, TransportType::sse});
    CHECK(s.worlds.back()->count("server/discover") == 0);
}

TEST_CASE("an error that a server answers with is a result; an answer that makes no sense is none")
{
    Supervised s;
    run(s.loop, s.server->tools());
    s.worlds[0]->methods["tools/call"] = [](World& w, const Request& r) { w.error(r, kInvalidParams); };
    CHECK(s.call() == "error: MCP server s answered: no (error -32602)");
    s.worlds[0]->methods["tools/call"] = [](World& w, const Request& r) {
        w.push(R"({"jsonrpc":"2.0","id":)" + to_text(r.id) + "}");
    };
    CHECK(s.call() == Has("?MCP server s sent an answer that makes no sense"));
    s.worlds[0]->methods["tools/call"] = [](World& w, const Request& r) {
        w.result(r, object(R"({"isError":true,"content":[{"type":"text","text":"disk full"}]})"));
    };
    CHECK(s.call() == "error: disk full");
}

TEST_CASE("a server's questions reach the caller's people and models")
{
    Supervised s({.client = {.sampling = true, .elicitation = true}});
    run(s.loop, s.server->tools());
    World& world = *s.worlds[0];
    world.on_response = [](World& w, const Response& r) {
        w.result(w.last("tools/call"), {{"content", {{{"type", "text"}, {"text", to_text(Message(r))}}}}});
    };
    world.methods["tools/call"] = [](World& w, const Request&) {
        w.push(R"({"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Who?","requestedSchema":
            {"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer","default":30}}}}})");
    };
    s.caller.answer.updates = {{"name", "Ann"}};
    CHECK(s.call() == Has(R"("content":{"name":"Ann","age":30})"));
    CHECK(s.caller.asked.at(0).at("question") == "Who?");
    CHECK(s.caller.asked.at(0).contains("schema"));
    s.caller.answer.verb = model::HumanVerb::reject;
    CHECK(s.call() == Has(R"("action":"decline")"));
    world.methods["tools/call"] = [](World& w, const Request&) {
        w.push(R"({"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"maxTokens":9,
            "messages":[{"role":"user","content":{"type":"text","text":"Sum?"}}]}})");
    };
    CHECK(s.call() == Has(R"("text":"42")"));
    CHECK(s.caller.sampled == std::vector<std::string>{"Sum?"});
}

TEST_CASE("hints of a server count only where the operator trusts it")
{
    Supervised wary;
    CHECK(run(wary.loop, wary.server->tools())->at(0).definition.effect == model::Effect::once);
    Supervised trusting({.trusted = true});
    const auto tools = *run(trusting.loop, trusting.server->tools());
    CHECK(tools.at(0).definition.effect == model::Effect::pure);
    CHECK(tools.at(0).definition.type == model::ToolType::mcp);
    CHECK(tools.at(0).hash.size() == 64);
}
