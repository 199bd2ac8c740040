#include "base/join.hpp"

#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "base/timeout.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace std::chrono_literals;

namespace {

struct Plan {
    Millis delay;
    int value = 0;
    const char* error = nullptr;
};

Async<int> branch(Plan plan, std::vector<std::string>& log)
{
    const std::string name = std::to_string(plan.value);
    try {
        if (plan.delay > 0ms) co_await sleep_for(plan.delay);
    } catch (const Cancelled&) {
        log.push_back(name + " cancelled");
        throw;
    }
    if (plan.error) throw Error(Code::upstream, plan.error);
    log.push_back(name + " done");
    co_return plan.value;
}

Async<std::vector<int>> join_of(std::vector<Plan> plans, std::vector<std::string>& log)
{
    std::vector<Async<int>> branches;
    for (const Plan& plan : plans) branches.push_back(branch(plan, log));
    co_return co_await all(std::move(branches));
}

std::string failure_of(std::vector<Plan> plans, std::vector<std::string>& log, std::uint64_t seed)
{
    SimLoop loop(seed);
    try {
        run(loop, join_of(std::move(plans), log));
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("a join takes as long as its slowest branch, and its results stand in the order of the branches")
{
    SimLoop loop;
    std::vector<std::string> log;
    const Instant start = loop.now();
    CHECK(run(loop, join_of({{3s, 1}, {1s, 2}, {0s, 3}, {2s, 4}}, log)) == std::vector{1, 2, 3, 4});
    CHECK(loop.now() - start == 3s);
    CHECK(log == std::vector<std::string>{"3 done", "2 done", "4 done", "1 done"});
    CHECK(run(loop, join_of({}, log)).empty());
}

TEST_CASE("the first failure cancels the rest, and the join waits for them before it throws")
{
    std::vector<std::string> log;
    CHECK(failure_of({{5s, 1}, {1s, 2, "boom"}, {9s, 3}}, log, 1) == "boom");
    std::sort(log.begin(), log.end());  // who notices first is the schedule's business
    CHECK(log == std::vector<std::string>{"1 cancelled", "3 cancelled"});
}

TEST_CASE("a join reports the lowest branch that failed by itself, whatever the schedule")
{
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        std::vector<std::string> log;
        // 2 and 3 fail in the same instant; 1 is only cancelled
        const std::string says = failure_of({{5s, 1}, {1s, 2, "two"}, {1s, 3, "three"}}, log, seed);
        CHECK((says == "two" || says == "three"));
        if (std::count(log.begin(), log.end(), "3 cancelled")) CHECK(says == "two");
        if (std::count(log.begin(), log.end(), "2 cancelled")) CHECK(says == "three");
        if (log.size() == 1) CHECK(says == "two");  // both had failed by themselves
    }
}

TEST_CASE("every branch is started even when the one before it failed at once")
{
    std::vector<std::string> log;
    CHECK(failure_of({{0s, 1, "first"}, {0s, 2}, {1s, 3}}, log, 1) == "first");
    CHECK(log == std::vector<std::string>{"2 done", "3 cancelled"});
}

TEST_CASE("a join in a cancelled scope ends as cancelled, not as a failure")
{
    SimLoop loop;
    std::vector<std::string> log;
    AsyncScope scope(loop);
    bool cancelled = false;
    scope.spawn([](std::vector<std::string>& l, bool& c) -> Async<> {
        std::vector<Plan> plans{{5s, 1}, {6s, 2}};
        try {
            co_await join_of(std::move(plans), l);
        } catch (const Cancelled&) {
            c = true;
        }
    }(log, cancelled));
    scope.cancel();
    loop.run_until([&] { return scope.size() == 0; });
    CHECK(cancelled);
    CHECK(log.size() == 2);
}

TEST_CASE("failures pass through joins of joins, and each level stops its own branches first")
{
    SimLoop loop;
    std::vector<std::string> log;
    auto tree = [](std::vector<std::string>& l) -> Async<> {
        std::vector<Async<std::vector<int>>> branches;
        branches.push_back(join_of({{1s, 11}, {9s, 12}}, l));
        branches.push_back(join_of({{9s, 21}, {2s, 22, "deep"}}, l));
        co_await all(std::move(branches));
    };
    CHECK_THROWS_WITH_AS(run(loop, tree(log)), "deep", Error);
    CHECK(log == std::vector<std::string>{"11 done", "21 cancelled", "12 cancelled"});
}
