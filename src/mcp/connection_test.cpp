#include "mcp/scripted_server_fixture.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace cadre;
using namespace cadre::mcp;
using namespace cadre::mcp::test;
using namespace std::chrono_literals;

namespace {

Async<> call_into(Client& client, std::string& out, RequestOptions options)
{
    try {
        const json::object result = co_await client.call_tool("a", {}, std::move(options));
        out = to_text(json::value(result));
    } catch (const tools::NotDispatched& error) {
        out = std::string("!") + error.what();
    } catch (const Error& error) {
        out = error.what();
    }
}

std::string id_text(const Request& request)
{
    return to_text(request.id);
}

}  // namespace

TEST_CASE("answers with wrong ids, second answers and late ones reach nobody")
{
    auto world = legacy_world();
    world->methods["tools/call"] = [](World& w, const Request& r) {
        w.push(R"({"jsonrpc":"2.0","id":999,"result":{"wrong":1}})");
        w.push(R"({"jsonrpc":"2.0","id":")" + id_text(r) + R"(","result":{"wrong":2}})");
        w.push(R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"wrong"}})");
        w.result(r, {{"right", w.count("tools/call")}});
        w.result(r, {{"wrong", 3}});
    };
    Bench bench(world);
    bench.open();
    CHECK(bench.outcome(bench.client->call_tool("a", {})) == R"({"right":1})");
    CHECK(bench.outcome(bench.client->call_tool("a", {})) == R"({"right":2})");
}

TEST_CASE("a silent server holds a call no longer than its clock, and is told that nobody waits")
{
    auto world = legacy_world();
    Bench bench(world, {.idle = 5s});
    bench.open();
    const Millis before = bench.passed();
    CHECK(bench.outcome(bench.client->call_tool("a", {})) ==
          Has("timeout: MCP server s did not answer tools/call within 5 s"));
    CHECK(bench.passed() - before == 5s);
    REQUIRE(world->notifications.size() == 2);
    CHECK(world->notifications[1].method == "notifications/cancelled");
    CHECK(world->notifications[1].params.at("requestId") == to_value(world->last("tools/call").id));
    world->result(world->last("tools/call"), {{"late", true}});
    bench.loop.settle();
    CHECK(bench.client->is_open());
}

TEST_CASE("what was surely not sent says so")
{
    auto world = legacy_world();
    Bench bench(world, {.idle = 5s});
    bench.open();
    world->unsent = true;
    CHECK(bench.outcome(bench.client->call_tool("a", {})) == Has("timeout!"));
    world->methods["tools/call"] = [](World& w, const Request& r) {
        w.inbox.try_send(Lost{.id = std::get<std::int64_t>(r.id),
                              .code = Code::unavailable,
                              .text = "no connection",
                              .dispatched = false});
    };
    CHECK(bench.outcome(bench.client->call_tool("a", {})) == "unavailable!: MCP server s: no connection");
}

TEST_CASE("progress begins the idle clock anew, and never the cap")
{
    auto world = legacy_world();
    Bench bench(world);
    bench.open();
    std::string out;
    int heard = 0;
    RequestOptions options{.idle = 10s, .cap = 35s, .on_progress = [&](const Progress& p) { heard += p.total == 9.0; }};
    AsyncScope scope(bench.loop);
    scope.spawn(call_into(*bench.client, out, options));
    const std::string token = id_text(world->last("tools/call"));
    scope.spawn([](World& w, std::string of) -> Async<> {
        for (int i = 0; i < 9; ++i) {
            co_await sleep_for(8s);
            w.push(fmt::format(
                R"({{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{},"progress":{},"total":9}}}})",
                of, i));
        }
    }(*world, token));
    const Millis before = bench.passed();
    bench.loop.run_until([&] { return !out.empty(); });
    CHECK(bench.passed() - before == 35s);
    CHECK(heard == 4);
    CHECK(out == Has("within 35 s"));
}

TEST_CASE("a cancelled call tells the server")
{
    auto world = legacy_world();
    Bench bench(world);
    bench.open();
    std::string out;
    {
        AsyncScope scope(bench.loop);
        scope.spawn(call_into(*bench.client, out, {}));
        scope.cancel();
        bench.loop.settle();
    }
    CHECK(out.empty());
    CHECK(world->notifications.back().method == "notifications/cancelled");
}

TEST_CASE("over modern HTTP giving up the answer is all that tells the server")
{
    auto world = modern_world();
    world->http = true;
    world->methods["tools/list"] = [](World& w, const Request& r) { w.result(r, {{"tools", json::array{}}}); };
    Bench bench(world, {.idle = 5s});
    bench.open();
    bench.outcome(bench.client->call_tool("a", {}));
    CHECK(world->abandoned.contains(std::get<std::int64_t>(world->last("tools/call").id)));
    CHECK(world->notifications.empty());
}

TEST_CASE("when a server ends, calls under way fail, and later ones were never sent")
{
    auto world = legacy_world();
    world->methods["tools/call"] = [](World& w, const Request&) { w.inbox.close(); };
    Bench bench(world);
    bench.open();
    CHECK(bench.outcome(bench.client->call_tool("a", {})) ==
          "upstream: MCP server s: ended with exit code 1 before tools/call was answered");
    CHECK(bench.outcome(bench.client->call_tool("a", {})) == Has("unavailable!"));
}

TEST_CASE("an answer that makes no sense costs its own call only")
{
    auto world = legacy_world();
    world->methods["tools/call"] = [](World& w, const Request& r) {
        w.push(R"({"jsonrpc":"2.0","id":)" + id_text(r) + R"(,"result":[1]})");
    };
    Bench bench(world);
    bench.open();
    CHECK(bench.outcome(bench.client->call_tool("a", {})) == Has("makes no sense"));
    CHECK(bench.client->is_open());
}

TEST_CASE("a server's questions go to the call that they belong to, and its clocks stand still meanwhile")
{
    auto world = legacy_world();
    world->methods["tools/call"] = [](World& w, const Request&) {
        w.push(R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Colour?"}})");
    };
    world->on_response = [](World& w, const Response& r) {
        w.result(w.last("tools/call"), {{"said", to_text(Message(r))}});
    };
    Bench bench(world, {.elicitation = true, .idle = 5s, .cap = 6s});
    bench.open();
    Person person;
    person.thinks = 3h;
    RequestOptions options{.handlers = &person};
    CHECK(bench.outcome(bench.client->call_tool("a", {}, options)) == Has(R"(\"colour\":\"blue\")"));
    CHECK(person.asked.size() == 1);
}

TEST_CASE("a question that the entry does not allow is refused, and the call goes on")
{
    auto world = legacy_world();
    world->methods["tools/call"] = [](World& w, const Request&) {
        w.push(R"({"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}})");
    };
    world->on_response = [](World& w, const Response& r) {
        w.result(w.last("tools/call"), {{"said", to_text(Message(r))}});
    };
    Bench bench(world);
    bench.open();
    Person person;
    RequestOptions options{.handlers = &person};
    CHECK(bench.outcome(bench.client->call_tool("a", {}, options)) == Has("-32601"));
    CHECK(person.asked.empty());
}

TEST_CASE("a flood of questions is refused, one by one")
{
    auto world = legacy_world();
    world->methods["tools/call"] = [](World& w, const Request&) {
        for (int i = 0; i < 100; ++i)
            w.push(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"elicitation/create","params":{{}}}})", i));
    };
    Bench bench(world, {.elicitation = true});
    bench.open();
    Person person;
    person.thinks = 1h;
    RequestOptions options{.handlers = &person};
    std::string out;
    AsyncScope scope(bench.loop);
    scope.spawn(call_into(*bench.client, out, options));
    bench.loop.settle();
    CHECK(person.asked.size() == 16);
    CHECK(world->responses.size() == 84);
    scope.cancel();
    bench.loop.settle();
}

TEST_CASE("outside of calls a server gets its ping and its roots answered, and nothing else")
{
    auto world = legacy_world();
    Bench bench(world, {.sampling = true, .roots = {"file:///data"}});
    bench.open();
    world->push(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
    world->push(R"({"jsonrpc":"2.0","id":2,"method":"roots/list"})");
    world->push(R"({"jsonrpc":"2.0","id":3,"method":"sampling/createMessage","params":{}})");
    bench.loop.settle();
    REQUIRE(world->responses.size() == 3);
    CHECK(to_text(Message(world->responses[0])) == R"({"jsonrpc":"2.0","id":1,"result":{}})");
    CHECK(to_text(Message(world->responses[1])) == Has("file:///data"));
    CHECK(to_text(Message(world->responses[2])) == Has("-32601"));
}

TEST_CASE("calls that may be asked back go one at a time where nothing tells their questions apart")
{
    for (const bool origin : {false, true}) {
        auto world = legacy_world();
        world->origin = origin;
        Bench bench(world, {.elicitation = true});
        bench.open();
        Person person;
        std::string one, two;
        AsyncScope scope(bench.loop);
        scope.spawn(call_into(*bench.client, one, {.handlers = &person}));
        scope.spawn(call_into(*bench.client, two, {.handlers = &person}));
        bench.loop.settle();
        CHECK(world->count("tools/call") == (origin ? 2 : 1));
        world->result(world->last("tools/call"), {});
        bench.loop.settle();
        CHECK(world->count("tools/call") == 2);
        scope.cancel();
        bench.loop.settle();
    }
}
