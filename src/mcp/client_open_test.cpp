#include "mcp/scripted_server_fixture.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::mcp;
using namespace cadre::mcp::test;
using namespace std::chrono_literals;

TEST_CASE("greeting: a modern server is asked nothing but who it is")
{
    Bench bench(modern_world());
    bench.open();
    CHECK(bench.client->facts().era == Era::modern);
    CHECK(bench.client->facts().name == "s");
    CHECK(bench.world->requests.size() == 1);
    CHECK(bench.world->notifications.empty());
    const json::object& meta = bench.world->requests[0].params.at("_meta").as_object();
    CHECK(meta.at(kMetaVersion) == "2026-07-28");
    CHECK(meta.at(kMetaClient).at("name") == "cadre");
    CHECK(meta.at(kMetaCapabilities).as_object().contains("extensions"));
}

TEST_CASE("greeting: what is no answer of a modern server leads to the older way")
{
    const std::function<void(World&, const Request&)> answers[] = {
        [](World& w, const Request& r) { w.error(r, kMethodNotFound); },
        [](World& w, const Request& r) { w.error(r, -32000); },
        [](World& w, const Request& r) { w.result(r, {}); },
        [](World& w, const Request& r) { w.result(r, {{"supportedVersions", {"2025-11-25"}}}); },
        [](World& w, const Request& r) { w.error(r, kUnsupportedVersion, {{"supported", {"2025-11-25"}}}); },
        [](World& w, const Request& r) {
            w.inbox.try_send(Lost{.id = std::get<std::int64_t>(r.id), .text = "answered with HTTP 400", .status = 400});
        },
        [](World&, const Request&) {},  // silence
    };
    for (const auto& answer : answers) {
        auto world = legacy_world();
        world->methods["server/discover"] = answer;
        Bench bench(world);
        bench.open();
        CHECK(bench.client->facts().era == Era::legacy);
        CHECK(world->era == Era::legacy);
        CHECK(bench.client->facts().version == "2025-11-25");
        REQUIRE(world->notifications.size() == 1);
        CHECK(world->notifications[0].method == "notifications/initialized");
        CHECK_FALSE(world->last("initialize").params.contains("_meta"));
    }
}

TEST_CASE("greeting: a server that wants another version is asked once more in that one")
{
    auto world = modern_world();
    auto discover = world->methods["server/discover"];
    world->methods["server/discover"] = [discover](World& w, const Request& r) {
        if (w.count("server/discover") > 1) return discover(w, r);
        w.error(r, kUnsupportedVersion, {{"supported", {"2026-07-28"}}, {"requested", "x"}});
    };
    Bench bench(world);
    bench.open();
    CHECK(bench.client->facts().era == Era::modern);
    CHECK(world->count("server/discover") == 2);
    CHECK(world->count("initialize") == 0);
}

TEST_CASE("greeting: a modern server that is slow to start is recognised all the same")
{
    auto world = std::make_shared<World>();
    world->methods["initialize"] = [](World& w, const Request& r) {
        w.error(r, kMethodNotFound);
        w.result(w.last("server/discover"),
                 {{"supportedVersions", {kModernVersion}}, {"capabilities", json::object{}}});
    };
    Bench bench(world);
    bench.open();
    CHECK(bench.client->facts().era == Era::modern);
    CHECK(bench.passed() == 3s);
}

TEST_CASE("greeting: older versions are spoken, unknown ones refused")
{
    Bench old(legacy_world("{}", "2024-11-05"));
    old.open();
    CHECK(old.client->facts().version == "2024-11-05");
    Bench unknown(legacy_world("{}", "1999-01-01"));
    CHECK(unknown.outcome([](Client& client) -> Async<int> {
        co_await client.open();
        co_return 0;
    }(*unknown.client)) == Has("1999-01-01"));
}

TEST_CASE("greeting: a server that never answers costs the time that its entry gives it")
{
    Bench bench(std::make_shared<World>(), {.greeting = 7s});
    CHECK_THROWS_AS(run(bench.loop, bench.client->open()), Error);
    CHECK(bench.passed() == 7s);
}

TEST_CASE("greeting: an address that refuses to be greeted may speak the oldest transport")
{
    for (const int status : {400, 404, 405}) {
        auto world = std::make_shared<World>();
        world->http = true;
        const auto refuse = [status](World& w, const Request& r) {
            w.inbox.try_send(Lost{.id = std::get<std::int64_t>(r.id), .text = "no", .status = status});
        };
        world->methods["server/discover"] = world->methods["initialize"] = refuse;
        Bench bench(world);
        CHECK_THROWS_AS(run(bench.loop, bench.client->open()), WrongTransport);
    }
}

TEST_CASE("greeting: only what the entry allows is offered")
{
    Bench nothing(legacy_world());
    nothing.open();
    CHECK(nothing.world->last("initialize").params.at("capabilities").as_object().empty());
    Bench all(legacy_world(), {.sampling = true, .elicitation = true, .roots = {"file:///a"}});
    all.open();
    const auto& offered = all.world->last("initialize").params.at("capabilities").as_object();
    CHECK(offered.contains("sampling"));
    CHECK(offered.contains("elicitation"));
    CHECK(offered.contains("roots"));
}

TEST_CASE("a session that is over is begun anew, and the request asked again")
{
    auto world = legacy_world();
    world->http = world->origin = true;
    world->methods["tools/call"] = [](World& w, const Request& r) {
        if (w.count("tools/call") > 1) return w.result(r, {{"content", json::array{}}});
        w.inbox.try_send(
            Lost{.id = std::get<std::int64_t>(r.id), .text = "HTTP 404", .status = 404, .session_over = true});
    };
    Bench bench(world);
    bench.open();
    CHECK(bench.outcome(bench.client->call_tool("a", {})) == R"({"content":[]})");
    CHECK(world->count("initialize") == 2);
    world->inbox.try_send(Lost{.text = "HTTP 404", .session_over = true});  // on the stream for everything else
    bench.loop.settle();
    bench.outcome(bench.client->call_tool("a", {}));
    CHECK(world->count("initialize") == 3);
}
