// The coroutine torture tests: one scenario that uses everything, interrupted at every one of its suspension points, in
// many interleavings. Run under ASan, UBSan and TSan by ./test.
#include "base/async_scope.hpp"
#include "base/channel.hpp"
#include "base/error.hpp"
#include "base/join.hpp"
#include "base/pool.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "base/timeout.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace std::chrono_literals;

namespace {

/// Counts those alive: what a destroyed frame must give back.
struct Counted {
    Counted() { ++alive; }
    Counted(const Counted&) { ++alive; }
    ~Counted() { --alive; }
    static inline int alive = 0;
};

/// Everything the scenario's coroutines share; outlives them all.
struct World {
    explicit World(Loop& loop) : pool(loop) {}
    LoopPool pool;
    Channel<Counted> channel{2};
    int finished = 0;
    int timed_out = 0;
    int failed = 0;
};

Async<int> leaf(World& world, int kind)
{
    Counted local;
    switch (kind % 6) {
    case 0: co_await yield(); break;
    case 1: co_await sleep_for(Millis(kind)); break;
    case 2: co_await on(world.pool, [guard = Counted{}] { return 1; }); break;
    case 3: co_await world.channel.send(Counted{}); break;
    case 4: co_await world.channel.receive(); break;
    case 5:
        co_await sleep_for(3ms);
        if (kind > 10) throw Error(Code::upstream, "leaf failed");
        break;
    }
    co_return kind;
}

Async<int> with_limit(World& world, int kind, Millis limit)
{
    Counted local;
    try {
        co_return co_await with_timeout(leaf(world, kind), limit, "leaf");
    } catch (const Error& error) {
        ++(error.code() == Code::timeout ? world.timed_out : world.failed);
    }
    co_return -1;
}

Async<> fan_out(World& world, int width)
{
    Counted local;
    std::vector<Async<int>> branches;
    for (int i = 0; i < width; ++i) branches.push_back(with_limit(world, i, Millis(2 + i % 3)));
    branches.push_back(leaf(world, 17));  // fails, cancels the others
    try {
        co_await all(std::move(branches));
    } catch (const Error&) {
        ++world.failed;
    }
}

Async<> with_own_scope(World& world)
{
    Counted local;
    AsyncScope inner(co_await this_context());
    for (int i = 0; i < 4; ++i) inner.spawn(fan_out(world, i + 2));
    co_await with_timeout(inner.join(), 1s, "inner scope");
    ++world.finished;
}

Async<> scenario(World& world)
{
    Counted local;
    std::vector<Async<>> branches;
    branches.push_back(with_own_scope(world));
    branches.push_back(fan_out(world, 12));
    co_await all(std::move(branches));
    ++world.finished;
}

/// Runs the scenario for `steps` steps; true while it was still running then.
bool run_for(SimLoop& loop, AsyncScope& scope, World& world, int steps)
{
    scope.spawn(scenario(world));
    for (int i = 0; i < steps && scope.size() > 0; ++i) REQUIRE(loop.step());
    return scope.size() > 0;
}

}  // namespace

TEST_CASE("torture: a tree destroyed at any suspension point leaves nothing behind")
{
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        for (int steps = 0;; ++steps) {
            CAPTURE(seed);
            CAPTURE(steps);
            bool running = false;
            {
                SimLoop loop(seed);
                World world(loop);
                AsyncScope scope(loop);
                running = run_for(loop, scope, world, steps);
            }
            REQUIRE(Counted::alive == 0);
            if (!running) {
                CHECK(steps > 40);  // the scenario really has that many
                break;
            }
        }
    }
}

TEST_CASE("torture: a tree cancelled at any suspension point ends by itself, in no time, and leaves nothing behind")
{
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        for (int steps = 0;; ++steps) {
            CAPTURE(seed);
            CAPTURE(steps);
            SimLoop loop(seed);
            World world(loop);
            AsyncScope scope(loop);
            const bool running = run_for(loop, scope, world, steps);
            const Instant cancelled_at = loop.now();
            scope.cancel();
            run(loop, scope.close());
            REQUIRE(loop.now() == cancelled_at);
            REQUIRE(scope.size() == 0);
            while (world.channel.size() > 0)
                run(loop, [](World& w) -> Async<> { co_await w.channel.receive(); }(world));
            REQUIRE(Counted::alive == 0);
            if (!running) break;
        }
    }
}

TEST_CASE("torture: cancelled and then destroyed a few steps later, at any pair of points")
{
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        for (int steps = 0;; ++steps) {
            CAPTURE(seed);
            CAPTURE(steps);
            bool running = false;
            for (int more = 0; more < 12; ++more) {
                {
                    SimLoop loop(seed);
                    World world(loop);
                    AsyncScope scope(loop);
                    running = run_for(loop, scope, world, steps);
                    scope.cancel();
                    for (int i = 0; i < more && loop.step(); ++i) {}
                }
                REQUIRE(Counted::alive == 0);
            }
            if (!running) break;
        }
    }
}

TEST_CASE("torture: timeouts that race with their operations end one way or the other, never both")
{
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        CAPTURE(seed);
        SimLoop loop(seed);
        World world(loop);
        auto race = [](World& w) -> Async<int> {
            std::vector<Async<int>> branches;
            for (int i = 0; i < 8; ++i) branches.push_back(with_limit(w, 1 + 6 * (i % 2), Millis(1 + i)));
            const auto results = co_await all(std::move(branches));
            co_return static_cast<int>(std::count(results.begin(), results.end(), -1));
        };
        CHECK(run(loop, race(world)) == world.timed_out);
    }
    CHECK(Counted::alive == 0);
}
