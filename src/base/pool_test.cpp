#include "base/pool.hpp"

#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"

#include <doctest/doctest.h>

#include <latch>

using namespace cadre;

namespace {

/// Holds work back until told to run it.
struct HeldPool final : Pool {
    void submit(std::function<void()> work) override { queue.push_back(std::move(work)); }
    void run_all()
    {
        for (auto& work : std::exchange(queue, {})) work();
    }
    std::vector<std::function<void()>> queue;
};

Async<> call(Pool& pool, int& ran, int& resumed)
{
    int result = co_await on(pool, [&ran] { return ++ran; });
    resumed += result;
}

}  // namespace

TEST_CASE("work on a pool returns its result or its exception to the coroutine")
{
    SimLoop loop;
    LoopPool pool(loop);
    auto work = [](Pool& p) -> Async<std::string> { co_return co_await on(p, [] { return std::string("done"); }); };
    CHECK(run(loop, work(pool)) == "done");
    auto failing = [](Pool& p) -> Async<> { co_await on(p, [] { throw Error(Code::unavailable, "disk"); }); };
    CHECK_THROWS_WITH_AS(run(loop, failing(pool)), "disk", Error);
}

TEST_CASE("work that is cancelled before it began never runs; work that has begun is awaited")
{
    SimLoop loop;
    HeldPool pool;
    int ran = 0, resumed = 0;
    AsyncScope scope(loop);
    scope.spawn(call(pool, ran, resumed));
    scope.cancel();
    loop.settle();
    CHECK(scope.size() == 0);
    pool.run_all();
    CHECK(ran == 0);

    AsyncScope second(loop);
    second.spawn(call(pool, ran, resumed));
    pool.run_all();
    second.cancel();  // too late: the result is on its way
    loop.settle();
    CHECK(ran == 1);
    CHECK(resumed == 1);
}

TEST_CASE("a frame destroyed before its work began takes the work with it; later, only the result is dropped")
{
    SimLoop loop;
    HeldPool pool;
    int ran = 0, resumed = 0;
    {
        AsyncScope scope(loop);
        scope.spawn(call(pool, ran, resumed));
    }
    pool.run_all();
    CHECK(ran == 0);
    {
        AsyncScope scope(loop);
        scope.spawn(call(pool, ran, resumed));
        pool.run_all();
    }
    loop.settle();
    CHECK(ran == 1);
    CHECK(resumed == 0);
}

TEST_CASE("what the work captured is gone before the coroutine goes on")
{
    SimLoop loop;
    LoopPool pool(loop);
    auto captured = std::make_shared<int>(7);
    auto work = [](Pool& p, std::weak_ptr<int> watch, std::shared_ptr<int> owned) -> Async<bool> {
        co_await on(p, [owned = std::move(owned)] { return *owned; });
        co_return watch.expired();
    };
    std::weak_ptr<int> watch = captured;
    CHECK(run(loop, work(pool, watch, std::move(captured))));
}

TEST_CASE("a full queue refuses more work and says how full it is")
{
    std::latch started(1), release(1);
    ThreadPool pool(1, 2);
    pool.submit([&] {
        started.count_down();
        release.wait();
    });
    started.wait();
    pool.submit([] {});
    pool.submit([] {});
    CHECK_THROWS_WITH_AS(pool.submit([] {}), "the work queue is full (2 waiting)", Error);
    release.count_down();
}
