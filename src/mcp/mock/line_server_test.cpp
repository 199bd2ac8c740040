#include "mcp/mock/line_server.hpp"

#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "base/timeout.hpp"
#include "mcp/test_has.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::mcp::mock;
using cadre::mcp::test::Has;

namespace {

struct Bench {
    explicit Bench(std::string_view script = R"({"tools":[]})")
        : tools(read_script(script, "s.json"), [](const std::string&) { return std::int64_t{1}; }),
          server(tools, loop.clock(), {}),
          lines(loop, server,
                {.write = [this](std::string text) { return write(std::move(text)); },
                 .exit = [this](int code) { exit = code; }})
    {
        take(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
        pass(Millis{0});
        said.clear();
    }
    Async<> write(std::string text)
    {
        said += text;
        co_return;
    }
    void take(std::string_view line) { lines.take(line); }
    void call(int id, std::string_view tool, std::string_view arguments)
    {
        take(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"tools/call","params":{"name":")" +
             std::string(tool) + R"(","arguments":)" + std::string(arguments) + "}}");
    }
    void pass(Millis time) { run(loop, sleep_for(time)); }

    SimLoop loop;
    Tools tools;
    MockServer server;
    std::string said;
    std::optional<int> exit;
    LineServer lines;
};

}  // namespace

TEST_CASE("mock-mcp answers calls over stdio when they are done, not in the order in which they came")
{
    Bench bench;
    bench.call(1, "sleep", R"({"ms":300})");
    bench.call(2, "echo", R"({"message":"a"})");
    bench.pass(Millis{100});
    CHECK(bench.said == Has(R"("id":2)"));
    CHECK(bench.said.find(R"("id":1)") == std::string::npos);
    bench.pass(Millis{300});
    CHECK(bench.said == Has("slept 300 ms"));
}

TEST_CASE("mock-mcp does not answer a call that was cancelled, and what is no message costs nothing")
{
    Bench bench;
    bench.call(1, "sleep", R"({"ms":300})");
    bench.take(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
    bench.pass(Millis{500});
    CHECK(bench.said.empty());
    bench.take("Listening on port 5");
    bench.pass(Millis{0});
    CHECK(bench.said == Has("-32700"));
}

TEST_CASE("mock-mcp ends in the middle of a call, and says what was answered before its input ended")
{
    Bench bench;
    bench.call(1, "crash", R"({"code":3,"after_ms":50})");
    bench.pass(Millis{20});
    CHECK(!bench.exit);
    bench.pass(Millis{50});
    CHECK(bench.exit == 3);
    CHECK(bench.said.empty());
    bench.call(2, "echo", R"({"message":"last"})");
    bench.call(3, "sleep", R"({"ms":100000})");
    run(bench.loop, bench.lines.end());
    CHECK(bench.said == Has("last"));
    CHECK(bench.loop.now() < Instant{} + std::chrono::seconds(10));
}

TEST_CASE("mock-mcp tells that its list has changed after the answer to the call that changed it")
{
    Bench bench(R"({"tools":[{"name":"t","answers":[{"text":"done"}],"changes":{"after":1,"description":"bad"}}]})");
    bench.call(1, "t", "{}");
    bench.pass(Millis{0});
    const std::size_t answer = bench.said.find("done"), notice = bench.said.find("list_changed");
    REQUIRE(notice != std::string::npos);
    CHECK(answer < notice);
}
