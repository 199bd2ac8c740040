#include "base/loop.hpp"

#include "base/async_scope.hpp"
#include "base/sim_loop.hpp"
#include "base/timeout.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace cadre;
using namespace std::chrono_literals;

namespace {

struct TestTimer final : Timer {
    void fire() noexcept override { fired = true; }
    bool fired = false;
};

}  // namespace

TEST_CASE("timers fire in the order of their times, equal ones as they were added, stopped ones never")
{
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        CAPTURE(seed);
        SeededRandom random(seed);
        TimerQueue queue;
        std::vector<std::unique_ptr<TestTimer>> timers;
        std::multimap<Instant, TestTimer*> expected;
        for (int i = 0; i < 200; ++i) {
            auto& timer = timers.emplace_back(std::make_unique<TestTimer>());
            const Instant due = Instant{} + Millis(random.below(40));
            queue.add(*timer, due);
            expected.emplace(due, timer.get());
        }
        for (auto it = expected.begin(); it != expected.end();) {
            if (random.below(3) > 0) {
                ++it;
                continue;
            }
            if (random.below(2) == 0) it->second->stop();
            else std::erase_if(timers, [&](const auto& t) { return t.get() == it->second; });  // dying is stopping
            it = expected.erase(it);
        }
        for (auto [due, timer] : expected) {
            CHECK(queue.earliest() == due);
            CHECK(queue.pop_due(due - 1ms) == nullptr);
            CHECK(queue.pop_due(due) == timer);
        }
        CHECK(queue.earliest() == kNever);
    }
}

TEST_CASE("one seed gives one interleaving, and another seed another")
{
    auto trace = [](std::uint64_t seed) {
        SimLoop loop(seed);
        std::string order;
        AsyncScope scope(loop);
        for (char name = 'a'; name <= 'f'; ++name)
            scope.spawn([](std::string& o, char n) -> Async<> {
                for (int i = 0; i < 5; ++i) {
                    co_await yield();
                    o += n;
                }
            }(order, name));
        loop.run_until([&] { return scope.size() == 0; });
        return order;
    };
    CHECK(trace(1) == trace(1));
    CHECK(trace(1) != trace(2));
    CHECK(trace(3).size() == 30);
}
