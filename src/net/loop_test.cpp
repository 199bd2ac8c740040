#include "net/loop.hpp"

#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/join.hpp"
#include "base/pool.hpp"
#include "base/run.hpp"
#include "base/timeout.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <latch>
#include <thread>

using namespace cadre;
using namespace std::chrono_literals;

namespace {

Async<> wake_at(Instant due, int name, std::vector<int>& order)
{
    co_await sleep_until(due);  // sleeps: timers are what is tested
    order.push_back(name);
}

Async<int> sum_on_pool(Pool& pool, int count)
{
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += co_await on(pool, [i] { return i; });
    co_return sum;
}

Async<int> fan_out_on_pool(Pool& pool)
{
    std::vector<Async<int>> branches;
    for (int i = 0; i < 8; ++i) branches.push_back(sum_on_pool(pool, 20));
    int total = 0;
    for (int sum : co_await all(std::move(branches))) total += sum;
    co_return total;
}

}  // namespace

TEST_CASE("timers fire in order and never early")
{
    net::Loop loop;
    AsyncScope scope(loop);
    std::vector<int> order;
    const Instant start = loop.now();
    scope.spawn(wake_at(start + 12ms, 3, order));
    scope.spawn(wake_at(start + 4ms, 1, order));
    scope.spawn(wake_at(start + 8ms, 2, order));
    run(loop, scope.join());
    CHECK(order == std::vector{1, 2, 3});
    CHECK(loop.now() - start >= 12ms);
}

TEST_CASE("a chatty job does not starve timers")
{
    net::Loop loop;
    AsyncScope scope(loop);
    bool stop = false;
    scope.spawn([](bool& s) -> Async<> {
        while (!s) co_await yield();
    }(stop));
    scope.spawn([](bool& s) -> Async<> {
        co_await sleep_for(2ms);  // sleeps: timers are what is tested
        s = true;
    }(stop));
    run(loop, scope.join());
    CHECK(stop);
}

TEST_CASE("deliver works from any thread while the loop sleeps")
{
    net::Loop loop;
    std::atomic<int> ready = 0;
    int delivered = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            ++ready;
            for (int n = 0; n < 250; ++n) loop.deliver([&] { ++delivered; });
        });
    loop.run_until([&] { return delivered == 1000; });
    CHECK(ready == 4);
}

TEST_CASE("several loops on threads of their own share one pool")
{
    net::Loop loops[3];
    {
        ThreadPool pool(3);
        std::vector<std::jthread> threads;
        std::atomic<int> right = 0;
        for (auto& loop : loops) threads.emplace_back([&] { right += run(loop, fan_out_on_pool(pool)) == 8 * 190; });
        threads.clear();
        CHECK(right == 3);
    }
}

TEST_CASE("torture: frames that wait for a pool are destroyed and cancelled while threads work for them")
{
    for (int turns = 0; turns < 60; ++turns) {
        net::Loop loop;  // outlives the pool, whose threads report to it
        ThreadPool pool(2);
        int sum = 0;
        AsyncScope scope(loop);
        scope.spawn([](Pool& p, int& s) -> Async<> { s = co_await fan_out_on_pool(p); }(pool, sum));
        int left = turns;
        loop.run_until([&] { return scope.size() == 0 || left-- == 0; });
        if (turns % 2 == 0) run(loop, scope.close());
        CHECK((sum == 0 || sum == 8 * 190));  // all of it or nothing
    }
}
