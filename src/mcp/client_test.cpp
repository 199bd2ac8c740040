#include "mcp/scripted_server_fixture.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace cadre;
using namespace cadre::mcp;
using namespace cadre::mcp::test;
using namespace std::chrono_literals;

namespace {

std::size_t size_of(Bench& bench, ListKind kind)
{
    return run(bench.loop, bench.client->list(kind))->size();
}

}  // namespace

TEST_CASE("all pages of a list are read")
{
    auto world = legacy_world();
    world->methods["tools/list"] = [](World& w, const Request& r) {
        const json::value* cursor = r.params.if_contains("cursor");
        if (!cursor) return w.result(r, object(R"({"tools":[{"name":"a"}],"nextCursor":"x"})"));
        CHECK(*cursor == "x");
        w.result(r, object(R"({"tools":[{"name":"b"},"noise"]})"));
    };
    Bench bench(world);
    bench.open();
    CHECK(size_of(bench, ListKind::tools) == 2);
    CHECK(size_of(bench, ListKind::prompts) == 0);  // not offered, not asked
    CHECK(world->count("prompts/list") == 0);
}

TEST_CASE("a list without end is given up")
{
    for (const bool same : {true, false}) {
        auto world = legacy_world();
        world->methods["tools/list"] = [same](World& w, const Request& r) {
            w.result(r, {{"tools", json::array{}}, {"nextCursor", same ? "x" : std::to_string(w.count("tools/list"))}});
        };
        Bench bench(world);
        bench.open();
        CHECK_THROWS_WITH_AS(size_of(bench, ListKind::tools), doctest::Contains("has no end of tools"), Error);
        CHECK(world->count("tools/list") <= 201);
        CHECK(bench.client->is_open());
    }
}

TEST_CASE("a list is kept until the server says that it has changed")
{
    auto world = legacy_world(R"({"tools":{"listChanged":true}})");
    world->methods["tools/list"] = [](World& w, const Request& r) { w.result(r, {{"tools", json::array{}}}); };
    Bench bench(world);
    bench.open();
    int told = 0;
    bench.client->on_changed = [&](ListKind kind) { told += kind == ListKind::tools; };
    size_of(bench, ListKind::tools);
    size_of(bench, ListKind::tools);
    CHECK(world->count("tools/list") == 1);
    world->push(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
    bench.loop.settle();
    CHECK(told == 1);
    size_of(bench, ListKind::tools);
    CHECK(world->count("tools/list") == 2);
}

TEST_CASE("a modern server says for how long its list may be kept")
{
    auto world = modern_world();
    world->methods["tools/list"] = [](World& w, const Request& r) {
        w.result(r, {{"resultType", "complete"}, {"tools", json::array{}}, {"ttlMs", 5000}});
    };
    Bench bench(world);
    bench.open();
    size_of(bench, ListKind::tools);
    size_of(bench, ListKind::tools);
    CHECK(world->count("tools/list") == 1);
    run(bench.loop, sleep_for(5s));
    size_of(bench, ListKind::tools);
    CHECK(world->count("tools/list") == 2);
}

TEST_CASE("a modern server tells those who listen, and is listened to again after it stopped")
{
    auto world = modern_world(R"({"tools":{"listChanged":true},"prompts":{}})");
    world->methods["tools/list"] = [](World& w, const Request& r) {
        w.result(r, {{"tools", json::array{}}, {"ttlMs", 1'000'000}});
    };
    Bench bench(world);
    bench.open();
    REQUIRE(world->count("subscriptions/listen") == 1);
    CHECK(to_text(world->last("subscriptions/listen").params.at("notifications")) == R"({"toolsListChanged":true})");
    size_of(bench, ListKind::tools);
    world->push(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}})");
    bench.loop.settle();
    size_of(bench, ListKind::tools);
    CHECK(world->count("tools/list") == 2);
    world->result(world->last("subscriptions/listen"), {{"resultType", "complete"}});
    run(bench.loop, sleep_for(3s));
    CHECK(world->count("subscriptions/listen") == 2);
    run(bench.loop, bench.client->subscribe("file:///a"));
    bench.loop.settle();
    CHECK(to_text(world->last("subscriptions/listen").params) == Has(R"("resourceSubscriptions":["file:///a"])"));
    run(bench.loop, bench.client->unsubscribe("file:///a"));
    bench.loop.settle();
    CHECK(to_text(world->last("subscriptions/listen").params) != Has("resourceSubscriptions"));
    CHECK(world->count("subscriptions/listen") == 4);
}

TEST_CASE("a server that wants input gets it, with its state untouched, under a new id")
{
    auto world = modern_world();
    world->methods["tools/call"] = [](World& w, const Request& r) {
        if (w.count("tools/call") == 1)
            return w.result(r, object(R"({"resultType":"input_required","requestState":"s\u0001t",
                "inputRequests":{"c":{"method":"elicitation/create","params":{"message":"?"}}}})"));
        if (w.count("tools/call") == 2)
            return w.result(
                r,
                object(R"({"resultType":"input_required","inputRequests":{"m":{"method":"sampling/createMessage"}}})"));
        w.result(r, object(R"({"content":[]})"));
    };
    Bench bench(world, {.sampling = true, .elicitation = true});
    bench.open();
    Person person;
    RequestOptions options{.handlers = &person};
    CHECK(bench.outcome(bench.client->call_tool("a", {{"x", 1}}, options)) == R"({"content":[]})");
    REQUIRE(world->requests.size() == 4);
    const json::object& second = world->requests[2].params;
    CHECK(second.at("requestState") == "s\u0001t");
    CHECK(to_text(second.at("inputResponses")) == R"({"c":{"action":"accept","content":{"colour":"blue"}}})");
    CHECK(second.at("arguments").at("x") == 1);
    CHECK(world->requests[1].id != world->requests[2].id);
    const json::object& third = world->requests[3].params;
    CHECK_FALSE(third.contains("requestState"));
    CHECK(third.at("inputResponses").as_object().size() == 1);
}

TEST_CASE("input that the entry does not allow, or that never suffices, ends the call")
{
    auto world = modern_world();
    world->methods["tools/call"] = [](World& w, const Request& r) {
        w.result(r, object(R"({"resultType":"input_required","inputRequests":{"c":{"method":"elicitation/create"}}})"));
    };
    Person person;
    Bench never(world);
    never.open();
    CHECK(never.outcome(never.client->call_tool("a", {}, {.handlers = &person})) ==
          Has("which its entry does not allow"));
    CHECK(person.asked.empty());
    Bench always(modern_world(), {.elicitation = true});
    always.world->methods["tools/call"] = world->methods["tools/call"];
    always.open();
    CHECK(always.outcome(always.client->call_tool("a", {}, {.handlers = &person})) == Has("16 times without an end"));
    CHECK(person.asked.size() == 15);
    always.world->methods["prompts/get"] = always.world->methods["tools/list"] = [](World& w, const Request& r) {
        w.result(r, object(R"({"resultType":"surprise"})"));
    };
    CHECK(always.outcome(always.client->get_prompt("p", {})) == Has("unknown type \"surprise\""));
}

TEST_CASE("a long call is polled as often as the server wants, asked back, and cancelled when nobody waits")
{
    auto world = modern_world();
    world->methods["tools/call"] = [](World& w, const Request& r) {
        w.result(
            r, object(R"({"resultType":"task","taskId":"t1","status":"working","ttlMs":null,"pollIntervalMs":2000})"));
    };
    world->methods["tasks/update"] = [](World& w, const Request& r) { w.result(r, {{"resultType", "complete"}}); };
    world->methods["tasks/get"] = [](World& w, const Request& r) {
        const int times = w.count("tasks/get");
        if (times == 2 || times == 3)
            return w.result(r, object(R"({"taskId":"t1","status":"input_required","pollIntervalMs":2000,
                "inputRequests":{"k":{"method":"elicitation/create","params":{}}}})"));
        if (times < 5)
            return w.result(
                r, object(R"({"taskId":"t1","status":"working","statusMessage":"half","pollIntervalMs":2000})"));
        w.result(
            r, object(R"({"taskId":"t1","status":"completed","result":{"content":[{"type":"text","text":"done"}]}})"));
    };
    Bench bench(world, {.elicitation = true});
    bench.open();
    Person person;
    std::vector<std::string> said;
    RequestOptions options{.on_progress = [&](const Progress& p) { said.push_back(p.message); }, .handlers = &person};
    CHECK(bench.outcome(bench.client->call_tool("a", {}, options)) == Has("done"));
    CHECK(bench.passed() == 10s);
    CHECK(world->count("tasks/get") == 5);
    CHECK(world->count("tasks/update") == 1);  // one question, one answer
    CHECK(world->count("tasks/cancel") == 0);
    CHECK(said == std::vector<std::string>{"half"});

    world->methods["tasks/get"] = [](World& w, const Request& r) {
        w.result(r, object(R"({"taskId":"t1","status":"working"})"));
    };
    CHECK(bench.outcome(bench.client->call_tool("a", {}, {.cap = 10s})) == Has("timeout"));
    CHECK(world->count("tasks/cancel") == 1);
    world->methods["tasks/get"] = [](World& w, const Request& r) {
        w.result(r, object(R"({"taskId":"t1","status":"failed","error":{"code":-32603,"message":"broke"}})"));
    };
    CHECK(bench.outcome(bench.client->call_tool("a", {})) == Has("broke"));
    CHECK(world->count("tasks/cancel") == 1);
}

TEST_CASE("a tool of an older server that insists on a task is called as one")
{
    auto world = legacy_world(R"({"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}})");
    world->methods["tools/list"] = [](World& w, const Request& r) {
        w.result(r, object(R"({"tools":[{"name":"a","inputSchema":{},"execution":{"taskSupport":"required"}}]})"));
    };
    world->methods["tools/call"] = [](World& w, const Request& r) {
        CHECK(r.params.contains("task"));
        w.result(r, object(R"({"task":{"taskId":"t","status":"working","pollInterval":500}})"));
    };
    world->methods["tasks/get"] = [](World& w, const Request& r) {
        w.result(
            r,
            {{"taskId", "t"}, {"status", w.count("tasks/get") < 3 ? "working" : "completed"}, {"pollInterval", 500}});
    };
    world->methods["tasks/result"] = [](World& w, const Request& r) { w.result(r, object(R"({"content":[]})")); };
    Bench bench(world);
    bench.open();
    size_of(bench, ListKind::tools);
    CHECK(bench.outcome(bench.client->call_tool("a", {})) == R"({"content":[]})");
    CHECK(bench.passed() == 1500ms);
    CHECK(world->count("tasks/cancel") == 0);
}

TEST_CASE("modern requests over HTTP carry who is asked for what")
{
    auto world = modern_world(R"({"tools":{},"resources":{}})");
    world->http = true;
    world->methods["tools/list"] = [](World& w, const Request& r) {
        w.result(
            r,
            object(
                R"({"tools":[{"name":"good","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}},
            {"name":"bad","inputSchema":{"type":"object","properties":{"r":{"type":"number","x-mcp-header":"R"}}}}]})"));
    };
    world->methods["tools/call"] =
        world->methods["resources/read"] = [](World& w, const Request& r) { w.result(r, {}); };
    Bench bench(world);
    bench.open();
    bench.outcome(bench.client->call_tool("good", {{"region", "eu"}}));
    const auto& headers = world->headers.back();
    CHECK(net::find_header(headers, "Mcp-Method") == "tools/call");
    CHECK(net::find_header(headers, "Mcp-Name") == "good");
    CHECK(net::find_header(headers, "Mcp-Param-Region") == "eu");
    CHECK(net::find_header(headers, "MCP-Protocol-Version") == "2026-07-28");
    CHECK(size_of(bench, ListKind::tools) == 1);
    bench.outcome(bench.client->read_resource("file:///a b"));
    CHECK(net::find_header(world->headers.back(), "Mcp-Name") == "file:///a b");
}

TEST_CASE("logs, completion and resources of an older server")
{
    auto world = legacy_world(R"({"logging":{},"resources":{"subscribe":true},"completions":{}})");
    world->methods["completion/complete"] = [](World& w, const Request& r) {
        w.result(r, object(R"({"completion":{"values":["paris",7,"pau"]}})"));
    };
    world->methods["resources/subscribe"] = [](World& w, const Request& r) { w.result(r, {}); };
    Bench bench(world);
    bench.open();
    std::string said, updated;
    bench.client->on_log = [&](std::string_view level, std::string_view logger, std::string_view text) {
        said = fmt::format("{} {} {}", level, logger, text);
    };
    bench.client->on_update = [&](const std::string& uri) { updated += uri; };
    CHECK(world->last("logging/setLevel").params.at("level") == "warning");
    CHECK(run(bench.loop, bench.client->complete({{"type", "ref/prompt"}, {"name", "p"}}, "city", "pa")) ==
          std::vector<std::string>{"paris", "pau"});
    run(bench.loop, bench.client->subscribe("file:///a"));
    world->push(
        R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"db","data":{"a":1}}})");
    world->push(R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///a"}})");
    world->push(R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///other"}})");
    bench.loop.settle();
    CHECK(said == R"(error db {"a":1})");
    CHECK(updated == "file:///a");
}
