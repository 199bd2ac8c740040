#include "base/async_scope.hpp"

#include "base/error.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "base/timeout.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace std::chrono_literals;

namespace {

Async<> sleeper(Millis delay, int& ended)
{
    co_await sleep_for(delay);
    ++ended;
}

Async<> failing(Millis delay, const char* text)
{
    co_await sleep_for(delay);
    throw Error(Code::upstream, text);
}

}  // namespace

TEST_CASE("a child runs up to its first wait inside spawn")
{
    SimLoop loop;
    AsyncScope scope(loop);
    int steps = 0;
    scope.spawn([](int& s) -> Async<> {
        s = 1;
        co_await yield();
        s = 2;
    }(steps));
    CHECK(steps == 1);
    CHECK(scope.size() == 1);
    loop.settle();
    CHECK(steps == 2);
    CHECK(scope.size() == 0);
}

TEST_CASE("join waits for all children, and a failure of one neither stops the others nor gets lost")
{
    SimLoop loop;
    AsyncScope scope(loop);
    int ended = 0;
    scope.spawn(failing(1s, "child failed"));
    scope.spawn(sleeper(3s, ended));
    CHECK_THROWS_WITH_AS(run(loop, scope.join()), "child failed", Error);
    CHECK(ended == 1);
    CHECK_NOTHROW(run(loop, scope.join()));  // reported once
}

TEST_CASE("close cancels and waits; a child spawned afterwards ends at its first wait")
{
    SimLoop loop;
    AsyncScope scope(loop);
    int ended = 0;
    for (int i = 0; i < 100; ++i) scope.spawn(sleeper(1h, ended));
    const Instant start = loop.now();
    run(loop, scope.close());
    CHECK(scope.size() == 0);
    CHECK(ended == 0);
    CHECK(loop.now() == start);
    scope.spawn(sleeper(1s, ended));
    CHECK(scope.size() == 0);
    CHECK(ended == 0);
}

TEST_CASE("close waits even when its caller is cancelled: a frame with work in flight is never destroyed by it")
{
    SimLoop loop;
    int ended = 0;
    AsyncScope outer(loop);
    outer.spawn([](int& e) -> Async<> {
        AsyncScope inner(co_await this_context());
        inner.spawn([](int& done) -> Async<> {
            try {
                co_await sleep_for(1h);
            } catch (const Cancelled&) {
                ++done;  // what a cancelled operation does on its way out
            }
        }(e));
        try {
            co_await sleep_for(1h);
        } catch (const Cancelled&) {}
        co_await inner.close();
        e += 10;
    }(ended));
    outer.cancel();
    loop.settle();
    CHECK(ended == 11);
    CHECK(outer.size() == 0);
}

TEST_CASE("join waits for a child that is spawned when the last one has just ended")
{
    SimLoop loop;
    AsyncScope scope(loop), others(loop);
    int ended = 0;
    scope.spawn(sleeper(1s, ended));
    bool joined = false;
    others.spawn([](AsyncScope& s, bool& j) -> Async<> {
        co_await s.join();
        j = true;
    }(scope, joined));
    while (scope.size() > 0) REQUIRE(loop.step());  // the joiner is woken, and has not run yet
    scope.spawn(sleeper(1s, ended));
    loop.settle();
    CHECK_FALSE(joined);
    loop.run_until([&] { return others.size() == 0; });
    CHECK(ended == 2);
}

TEST_CASE("a joiner that is cancelled leaves, and the children stay")
{
    SimLoop loop;
    AsyncScope scope(loop);
    int ended = 0;
    scope.spawn(sleeper(10s, ended));
    CHECK_THROWS_AS(run(loop, with_timeout(scope.join(), 1s, "join")), Error);
    CHECK(scope.size() == 1);
    run(loop, scope.join());
    CHECK(ended == 1);
}

TEST_CASE("children of a cancelled parent scope are cancelled")
{
    SimLoop loop;
    CancelScope parent;
    AsyncScope scope(Context{.loop = &loop, .scope = &parent});
    int ended = 0;
    scope.spawn(sleeper(1h, ended));
    parent.cancel();
    loop.settle();
    CHECK(scope.size() == 0);
    CHECK(ended == 0);
}
