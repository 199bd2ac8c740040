#include "base/timeout.hpp"

#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace std::chrono_literals;

namespace {

Async<int> after(Millis delay, int value)
{
    co_await sleep_for(delay);
    co_return value;
}

/// Needs 3 s to stop after it is told to, as an operation with clean-up at a peer would.
Async<int> stubborn(bool& stopped)
{
    try {
        co_await sleep_for(1h);
    } catch (const Cancelled&) {
        stopped = true;
    }
    co_return 7;
}

Async<int> outer_first(int& inner_error)
{
    try {
        co_return co_await with_timeout(after(1h, 1), 10s, "inner");
    } catch (const Error&) {
        ++inner_error;
        throw;
    }
}

Async<Instant> deadline_seen()
{
    co_return (co_await this_context()).deadline;
}

std::string message_of(SimLoop& loop, Async<int> work)
{
    try {
        run(loop, std::move(work));
    } catch (const Error& error) {
        CHECK(error.code() == Code::timeout);
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("sleeping takes virtual time, exactly")
{
    SimLoop loop;
    const Instant start = loop.now();
    run(loop, after(24h, 0));
    CHECK(loop.now() - start == 24h);
}

TEST_CASE("an operation within its time returns its value; one past it is an error that names it")
{
    SimLoop loop;
    CHECK(run(loop, with_timeout(after(2s, 5), 3s, "model x")) == 5);
    CHECK(message_of(loop, with_timeout(after(4s, 5), 3s, "model x")) == "model x timed out after 3 s");
}

TEST_CASE("of nested limits the earliest wins, and only it reports")
{
    struct {
        Millis inner, outer;
        const char* says;
    } const cases[] = {
        {10s, 3s, "outer timed out after 3 s"},
        {3s, 10s, "inner timed out after 3 s"},
        {5s, 5s, "outer timed out after 5 s"},  // equal: the inner one adds nothing, so it never fires
    };
    for (const auto& c : cases) {
        CAPTURE(c.says);
        SimLoop loop;
        CHECK(message_of(loop, with_timeout(with_timeout(after(1h, 1), c.inner, "inner"), c.outer, "outer")) == c.says);
    }
    SimLoop loop;
    int inner_error = 0;
    CHECK(message_of(loop, with_timeout(outer_first(inner_error), 3s, "outer")) == "outer timed out after 3 s");
    CHECK(inner_error == 0);
}

TEST_CASE("of the limits of tool, agent, response and task the smallest that is left counts")
{
    struct {
        Millis tool, agent, response, task, effective;
    } const cases[] = {
        {2s, 5s, 9s, 20s, 2s},   {50s, 3s, 9s, 20s, 3s}, {50s, 30s, 4s, 20s, 4s},
        {50s, 30s, 60s, 5s, 5s}, {7s, 7s, 7s, 7s, 7s},
    };
    for (const auto& c : cases) {
        SimLoop loop;
        const Instant start = loop.now();
        auto tool = with_timeout(deadline_seen(), c.tool, "tool");
        auto agent = with_timeout(std::move(tool), c.agent, "agent");
        auto response = with_timeout(std::move(agent), c.response, "response");
        CHECK(run(loop, with_timeout(std::move(response), c.task, "task")) == start + c.effective);
    }
}

TEST_CASE("the deadline travels inwards and never grows")
{
    SimLoop loop;
    const Instant start = loop.now();
    CHECK(run(loop, with_timeout(deadline_seen(), 3s, "a")) == start + 3s);
    CHECK(run(loop, with_timeout(with_timeout(deadline_seen(), 10s, "b"), 3s, "a")) == start + 3s);
    CHECK(run(loop, with_timeout(with_timeout(deadline_seen(), 1s, "b"), 3s, "a")) == start + 1s);
}

TEST_CASE("a limit beyond all time is no limit")
{
    SimLoop loop;
    loop.manual_clock().advance(1h);
    CHECK(run(loop, with_timeout(deadline_seen(), Millis::max(), "for ever")) == kNever);
    CHECK(run(loop, with_timeout(after(24h, 5), Millis::max(), "for ever")) == 5);
    CHECK(later(loop.now(), 1ms) == loop.now() + 1ms);
}

TEST_CASE("an operation that ends well although its time is over is not thrown away")
{
    SimLoop loop;
    bool stopped = false;
    CHECK(run(loop, with_timeout(stubborn(stopped), 1s, "stubborn")) == 7);
    CHECK(stopped);
}

TEST_CASE("cancelling from outside is a cancellation, not a timeout, even in the same instant")
{
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        SimLoop loop(seed);
        AsyncScope scope(loop);
        bool cancelled = false, timed_out = false;
        scope.spawn([](bool& was_cancelled, bool& was_late) -> Async<> {
            try {
                co_await with_timeout(after(1h, 1), 1s, "x");
            } catch (const Cancelled&) {
                was_cancelled = true;
            } catch (const Error&) {
                was_late = true;
            }
        }(cancelled, timed_out));
        scope.spawn([](AsyncScope& s) -> Async<> {
            co_await sleep_for(1s);
            s.cancel();
        }(scope));
        loop.run_until([&] { return scope.size() == 0; });
        CHECK(cancelled != timed_out);  // exactly one of the two
    }
}

TEST_CASE("a wall clock that jumps an hour moves no deadline")
{
    for (const Millis jump : {Millis(1h), Millis(-1h)}) {
        SimLoop loop;
        AsyncScope scope(loop);
        bool done = false;
        scope.spawn([](bool& d) -> Async<> {
            co_await sleep_for(10s);
            d = true;
        }(done));
        const Time before = loop.clock().now();
        loop.manual_clock().jump(jump);
        CHECK(loop.clock().now() == before + jump);
        const Instant start = loop.now();
        loop.run_until([&] { return done; });
        CHECK(loop.now() - start == 10s);
    }
}
