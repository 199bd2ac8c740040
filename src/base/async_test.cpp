#include "base/async.hpp"

#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "base/timeout.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace std::chrono_literals;

namespace {

Async<int> answer(int& started)
{
    ++started;
    co_return 42;
}

Async<int> fails()
{
    throw Error(Code::upstream, "no");
    co_return 0;
}

Async<std::unique_ptr<int>> boxed(int value)
{
    co_return std::make_unique<int>(value);
}

Async<int> nested(int depth)
{
    if (depth == 0) {
        co_await yield();
        co_return 0;
    }
    co_return 1 + co_await nested(depth - 1);
}

Async<int> sum_of(int count)
{
    int unused = 0;
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += co_await answer(unused) - 41;
    co_return sum;
}

Async<bool> sees_context(Loop& loop)
{
    const Context& context = co_await this_context();
    co_return context.loop == &loop&& context.deadline == kNever;
}

}  // namespace

TEST_CASE("a coroutine does nothing before it is awaited, and nothing at all if it never is")
{
    int started = 0;
    {
        auto never = answer(started);
    }
    CHECK(started == 0);
    SimLoop loop;
    CHECK(run(loop, answer(started)) == 42);
    CHECK(started == 1);
}

TEST_CASE("results may be move-only, and failures come out of co_await with their type")
{
    SimLoop loop;
    CHECK(*run(loop, boxed(7)) == 7);
    CHECK_THROWS_AS(run(loop, fails()), Error);
}

TEST_CASE("a coroutine that ends cancelled ends run() so, it never looks like a success")
{
    SimLoop loop;
    auto cancelled = []() -> Async<int> {
        throw Cancelled{};
        co_return 1;
    };
    CHECK_THROWS_AS(run(loop, cancelled()), Cancelled);
}

TEST_CASE("assigning over a coroutine ends the old one")
{
    int alive = 0;
    struct Guard {
        explicit Guard(int& c) : count(c) { ++count; }
        Guard(const Guard& other) : count(other.count) { ++count; }
        ~Guard() { --count; }
        int& count;
    };
    auto holding = [](Guard) -> Async<> { co_return; };
    Async<> first = holding(Guard(alive));
    CHECK(alive == 1);
    first = holding(Guard(alive));
    CHECK(alive == 1);
}

TEST_CASE("awaiting uses no stack: 50,000 nested frames, 2,000,000 awaits in a row")
{
    SimLoop loop;
    CHECK(run(loop, nested(50'000)) == 50'000);
    CHECK(run(loop, sum_of(2'000'000)) == 2'000'000);
}

TEST_CASE("the context of the root is what every coroutine below it sees")
{
    SimLoop loop;
    CHECK(run(loop, sees_context(loop)));
}

TEST_CASE("a loop with nothing left to do says so instead of hanging")
{
    SimLoop loop;
    CHECK_THROWS_WITH_AS(loop.run_until([] { return false; }), doctest::Contains("wake-up was lost"), Error);
}
