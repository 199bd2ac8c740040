#include "mcp/mock/mock_server.hpp"

#include "base/json.hpp"
#include "base/sim_loop.hpp"
#include "mcp/test_has.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace cadre;
using namespace cadre::mcp;
using namespace cadre::mcp::mock;
using cadre::mcp::test::Has;

namespace {

constexpr const char* kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";
constexpr const char* kMetaWithTasks =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":)"
    R"({"extensions":{"io.modelcontextprotocol/tasks":{}}}})";

struct Bench {
    explicit Bench(std::string_view script = R"({"tools":[]})", ServerOptions options = {})
        : tools(read_script(script, "s.json"),
                [this](const std::string& key) {
                    keys.push_back(key);
                    return static_cast<std::int64_t>(keys.size());
                }),
          server(tools, clock, std::move(options))
    {}

    Reaction tell(std::string_view text) { return server.receive(read_messages(text).front(), session); }
    Reaction ask(std::string_view method, std::string_view params)
    {
        return tell(fmt::format(R"({{"jsonrpc":"2.0","id":7,"method":"{}","params":{{{}}}}})", method, params));
    }
    Reaction call(std::string_view name, std::string_view arguments, std::string_view more = kMeta)
    {
        return ask("tools/call",
                   fmt::format(R"("name":"{}","arguments":{}{}{})", name, arguments, more.empty() ? "" : ",", more));
    }
    Bench& greet(std::string_view version = "2025-11-25")
    {
        ask("initialize",
            fmt::format(R"("protocolVersion":"{}","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}})",
                        version));
        return *this;
    }

    std::vector<std::string> keys;
    ManualClock clock;
    Tools tools;
    MockServer server;
    Session session;
};

/// The only line.
std::string line(const Reaction& reaction)
{
    REQUIRE(reaction.steps.size() == 1);
    return reaction.steps.front().line;
}

json::object result(const Reaction& reaction)
{
    const json::object message = parse_json(line(reaction), {.bytes = 1 << 24}).as_object();
    REQUIRE(message.contains("result"));
    CHECK(message.at("id") == 7);
    return message.at("result").as_object();
}

std::string text(const Reaction& reaction)
{
    return std::string(result(reaction).at("content").at(0).at("text").as_string());
}

std::int64_t code(const Reaction& reaction)
{
    return parse_json(line(reaction)).at("error").at("code").as_int64();
}

}  // namespace

TEST_CASE("mock-mcp of the modern era is discovered without a greeting and says what its results are")
{
    Bench bench;
    const json::object found = result(bench.ask("server/discover", kMeta));
    CHECK(found.at("supportedVersions").at(0) == "2026-07-28");
    CHECK(found.at("resultType") == "complete");
    CHECK(found.at("ttlMs") == 0);
    CHECK(found.at("cacheScope") == "private");
    CHECK(found.at("_meta").at(kMetaServer).at("name") == "cadre-mock-mcp");
    const json::object listed = result(bench.ask("tools/list", kMeta));
    CHECK(listed.at("tools").as_array().size() == 8);
    CHECK(listed.at("ttlMs") == 0);
    CHECK(bench.session.version.empty());
}

TEST_CASE("mock-mcp refuses modern requests that do not say enough of themselves, with the status for HTTP")
{
    Bench bench;
    const Reaction bare = bench.ask("server/discover", "");
    CHECK(code(bare) == kInvalidParams);
    CHECK(bare.status == 400);
    const Reaction no_capabilities =
        bench.ask("tools/list", R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"})");
    CHECK(code(no_capabilities) == kInvalidParams);
    const Reaction other =
        bench.ask("tools/list", R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"})");
    CHECK(code(other) == kUnsupportedVersion);
    CHECK(other.status == 400);
    CHECK(line(other) == Has(R"("requested":"2099-01-01")"));
    const Reaction unknown = bench.ask("ping", kMeta);
    CHECK(code(unknown) == kMethodNotFound);
    CHECK(unknown.status == 404);
    bench.session.modern = true;  // as a header says
    CHECK(code(bench.ask("tools/list", "")) == kInvalidParams);
}

TEST_CASE("mock-mcp of the legacy era wants to be greeted and agrees on a version")
{
    Bench bench;
    CHECK(code(bench.ask("tools/list", "")) == -32600);
    struct {
        const char* wanted;
        const char* agreed;
    } const cases[] = {{"2025-11-25", "2025-11-25"}, {"2024-11-05", "2024-11-05"}, {"1999-01-01", "2025-11-25"}};
    for (const auto& c : cases) {
        CAPTURE(c.wanted);
        Bench one;
        one.greet(c.wanted);
        CHECK(one.session.version == c.agreed);
        const json::object listed = result(one.ask("tools/list", ""));
        CHECK(listed.at("tools").as_array().size() == 8);
        CHECK(!listed.contains("resultType"));
        CHECK(result(one.ask("ping", "")).empty());
    }
    CHECK(bench.tell(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").steps.empty());
}

TEST_CASE("mock-mcp can be of one era only")
{
    Bench legacy(R"({"tools":[]})", {.modern = false});
    CHECK(code(legacy.ask("server/discover", kMeta)) == kMethodNotFound);
    CHECK(result(legacy.greet().call("echo", R"({"message":"a"})")).at("content").as_array().size() == 1);
    Bench modern(R"({"tools":[]})", {.legacy = false});
    CHECK(line(modern.ask("initialize", R"("protocolVersion":"2025-11-25")")) == Has("error"));
    CHECK(modern.session.version.empty());
}

TEST_CASE("mock-mcp's tools do what they say in both eras")
{
    for (const bool modern : {true, false}) {
        CAPTURE(modern);
        Bench bench;
        if (!modern) bench.greet();
        const std::string_view more = modern ? kMeta : "";
        const auto call = [&](std::string_view name, std::string_view arguments) {
            return bench.call(name, arguments, more);
        };
        CHECK(text(call("echo", R"({"message":"grüezi"})")) == "grüezi");
        CHECK(result(call("add", R"({"a":2,"b":3})")).at("structuredContent").at("sum") == 5);
        CHECK(text(call("add", R"({"a":2.5,"b":3})")) == R"({"sum":5.5})");
        const Reaction slept = call("sleep", R"({"ms":1500})");
        CHECK(slept.steps.front().pause == Millis{1500});
        CHECK(text(slept) == "slept 1500 ms");
        CHECK(result(call("fail", R"({"message":"no luck"})")).at("isError") == true);
        CHECK(code(call("fail", R"({"code":-32603})")) == -32603);
        CHECK(text(call("big", R"({"bytes":100000})")).size() == 100000);
        const Reaction crashed = call("crash", R"({"code":3,"after_ms":10})");
        REQUIRE(crashed.steps.size() == 1);
        CHECK(crashed.steps.front().exit == 3);
        CHECK(crashed.steps.front().line.empty());
        CHECK(crashed.steps.front().pause == Millis{10});
        CHECK(code(call("nothing", "{}")) == kInvalidParams);
    }
}

TEST_CASE("mock-mcp answers wrong arguments with a result that is an error, and the call has not happened")
{
    Bench bench;
    struct {
        const char* tool;
        const char* arguments;
    } const cases[] = {{"echo", "{}"},
                       {"echo", R"({"message":5})"},
                       {"add", R"({"a":"x","b":1})"},
                       {"sleep", R"({"ms":-1})"},
                       {"counter", R"({"x":1})"},
                       {"big", R"({"bytes":1e12})"}};
    for (const auto& c : cases) {
        CAPTURE(c.arguments);
        CHECK(result(bench.call(c.tool, c.arguments)).at("isError") == true);
    }
    CHECK(bench.keys.empty());
    CHECK(code(bench.ask("tools/call", fmt::format(R"("name":"echo","arguments":[1],{})", kMeta))) == kInvalidParams);
}

TEST_CASE("mock-mcp's counter counts when it is called, by the idempotency key, before the answer")
{
    Bench bench;
    const std::string meta = std::string(kMeta).insert(std::string(kMeta).size() - 1, R"(,"idempotencyKey":"k-1")");
    const Reaction late = bench.call("counter", R"({"delay_ms":900})", meta);
    CHECK(bench.keys == std::vector<std::string>{"k-1"});
    CHECK(late.steps.front().pause == Millis{900});
    CHECK(result(late).at("structuredContent").at("count") == 1);
    CHECK(text(bench.call("counter", "{}")) == R"({"count":2})");
    CHECK(bench.keys.back().empty());
}

TEST_CASE("mock-mcp's long call is told as progress to who has no tasks")
{
    Bench bench;
    bench.greet();
    const Reaction told = bench.call("poll", R"({"ms":300,"steps":3})", R"("_meta":{"progressToken":"p"})");
    REQUIRE(told.steps.size() == 4);
    for (int i = 0; i < 3; ++i) CHECK(told.steps[static_cast<std::size_t>(i)].pause == Millis{75});
    CHECK(told.steps[1].line == Has(R"("progressToken":"p","progress":2,"total":3)"));
    CHECK(told.steps[3].pause == Millis{75});
    CHECK(told.steps[3].line == Has("took 300 ms in 3 steps"));
    const Reaction silent = bench.call("poll", R"({"ms":300,"steps":3})", "");
    REQUIRE(silent.steps.size() == 1);
    CHECK(silent.steps.front().pause == Millis{300});
}

TEST_CASE("mock-mcp's long call is a task that is looked at, in the modern era")
{
    Bench bench;
    const json::object begun = result(bench.call("poll", R"({"ms":400,"steps":4})", kMetaWithTasks));
    CHECK(begun.at("resultType") == "task");
    CHECK(begun.at("status") == "working");
    CHECK(begun.at("pollIntervalMs") == 100);
    const std::string id(begun.at("taskId").as_string());
    const std::string named = fmt::format(R"("taskId":"{}",{})", id, kMeta);
    bench.clock.advance(Millis{200});
    const json::object half = result(bench.ask("tasks/get", named));
    CHECK(half.at("status") == "working");
    CHECK(half.at("statusMessage") == "step 2 of 4");
    CHECK(half.at("resultType") == "complete");
    bench.clock.advance(Millis{200});
    const json::object whole = result(bench.ask("tasks/get", named));
    CHECK(whole.at("status") == "completed");
    CHECK(whole.at("result").at("content").at(0).at("text") == "took 400 ms in 4 steps");
    CHECK(code(bench.ask("tasks/get", fmt::format(R"("taskId":"x",{})", kMeta))) == kInvalidParams);
}

TEST_CASE("mock-mcp's long call is a task for legacy clients that ask for one, and can be cancelled")
{
    Bench bench;
    bench.greet();
    const std::string params = R"("name":"poll","arguments":{"ms":400,"steps":4},"task":{"ttl":60000})";
    const json::object task = result(bench.ask("tools/call", params)).at("task").as_object();
    CHECK(task.at("pollInterval") == 100);
    const std::string named = fmt::format(R"("taskId":"{}")", std::string(task.at("taskId").as_string()));
    bench.clock.advance(Millis{150});
    const Reaction waits = bench.ask("tasks/result", named);
    CHECK(waits.steps.front().pause == Millis{250});
    CHECK(text(waits) == "took 400 ms in 4 steps");
    CHECK(result(bench.ask("tasks/cancel", named)).at("status") == "cancelled");
    CHECK(line(bench.ask("tasks/result", named)) == Has("the task was cancelled"));
    CHECK(code(bench.ask("tools/call", R"("name":"echo","arguments":{"message":"a"},"task":{})")) == kMethodNotFound);
}

TEST_CASE("a scripted tool answers in its order, in its ways, and refuses what no answer is for")
{
    Bench bench(R"({"builtin":false,"tools":[{"name":"weather","answers":[
        {"when":{"contains":"Bern"},"text":"Sunny.","times":2},
        {"when":{"nth":3},"json":{"degrees":7}},
        {"when":{"arguments":{"city":"Rome"}},"error":"no such city"},
        {"when":{"contains":"Oslo"},"fail":{"code":-32603,"message":"broken"},"delay_ms":50},
        {"when":{"contains":"Bonn"},"text":"never asked"}]}]})");
    CHECK(result(bench.ask("tools/list", kMeta)).at("tools").as_array().size() == 1);
    CHECK(text(bench.call("weather", R"({"city":"Bern"})")) == "Sunny.");
    CHECK(text(bench.call("weather", R"({"city":"Bern"})")) == "Sunny.");
    CHECK(result(bench.call("weather", R"({"city":"Bern"})")).at("structuredContent").at("degrees") == 7);
    CHECK(result(bench.call("weather", R"({"city":"Rome"})")).at("isError") == true);
    const Reaction broken = bench.call("weather", R"({"city":"Oslo"})");
    CHECK(broken.steps.front().pause == Millis{50});
    CHECK(code(broken) == -32603);
    CHECK(line(bench.call("weather", R"({"city":"Bern"})")) ==
          Has("no answer of s.json is for this call: weather, call 6"));
    REQUIRE(bench.tools.left_over().size() == 1);
    CHECK(bench.tools.left_over().front() == Has("s.json:6: used 0 of 1 times: weather"));
}

TEST_CASE("a scripted tool has faults: silence, the answer twice, another id, noise, a crash")
{
    Bench bench(R"({"tools":[{"name":"bad","answers":[
        {"when":{"nth":1},"stall":true}, {"when":{"nth":2},"text":"a","duplicate":true},
        {"when":{"nth":3},"text":"a","wrong_id":true}, {"when":{"nth":4},"text":"a","noise":"Listening …","delay_ms":5},
        {"when":{"nth":5},"crash":true,"count":true}]}]})");
    const Reaction silent = bench.call("bad", "{}");
    CHECK(silent.holds);
    CHECK(silent.steps.empty());
    const Reaction twice = bench.call("bad", "{}");
    REQUIRE(twice.steps.size() == 2);
    CHECK(twice.steps[0].line == twice.steps[1].line);
    CHECK(line(bench.call("bad", "{}")) == Has(R"("id":"nobody-asked-7")"));
    const Reaction noisy = bench.call("bad", "{}");
    REQUIRE(noisy.steps.size() == 2);
    CHECK(noisy.steps[0].line == "Listening …");
    CHECK(noisy.steps[0].pause == Millis{5});
    CHECK(noisy.steps[1].pause == Millis{0});
    CHECK(bench.keys.empty());
    CHECK(bench.call("bad", "{}").steps.front().exit == 1);
    CHECK(bench.keys.size() == 1);
}

TEST_CASE("a scripted tool that describes itself differently is told to those who listen")
{
    constexpr const char* kScript =
        R"({"tools":[{"name":"t","description":"good","answers":[{"text":"a","times":"any"}],
        "changes":{"after":2,"description":"bad"}}]})";
    Bench modern(kScript);
    CHECK(MockServer::notices(modern.session).empty());
    const Reaction listens =
        modern.ask("subscriptions/listen", fmt::format(R"("notifications":{{"toolsListChanged":true}},{})", kMeta));
    CHECK(listens.holds);
    CHECK(line(listens) == Has("notifications/subscriptions/acknowledged"));
    CHECK(!modern.call("t", "{}").changed);
    CHECK(line(modern.ask("tools/list", kMeta)) == Has(R"("description":"good")"));
    CHECK(modern.call("t", "{}").changed);
    CHECK(line(modern.ask("tools/list", kMeta)) == Has(R"("description":"bad")"));
    CHECK(!modern.call("t", "{}").changed);
    REQUIRE(MockServer::notices(modern.session).size() == 1);
    CHECK(MockServer::notices(modern.session).front() == Has(R"("io.modelcontextprotocol/subscriptionId":7)"));
    CHECK(modern.tell(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})").cancels ==
          mcp::Id(7));
    CHECK(MockServer::notices(modern.session).empty());

    Bench legacy(kScript);
    legacy.greet();
    CHECK(MockServer::notices(legacy.session) ==
          std::vector<std::string>{R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"});
}
