#include "guardrails/rate.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace cadre;
using namespace cadre::guardrails;

namespace {

Time at(int ms)
{
    return Time(Millis(ms));
}

}  // namespace

TEST_CASE("rate: a call is allowed while the window that ends now holds fewer than the limit")
{
    const std::vector<Time> times{at(300), at(0), at(100)};  // in any order
    const RateLimit three{3, Millis(1000)};
    CHECK(decide_rate({}, at(0), three).allowed);

    const RateDecision full = decide_rate(times, at(400), three);
    CHECK(!full.allowed);
    CHECK(full.counted == 3);
    CHECK(full.retry_after == Millis(600));
    CHECK(!decide_rate(times, at(999), three).allowed);
    CHECK(decide_rate(times, at(1000), three).allowed);  // the first has left exactly now

    const RateDecision over = decide_rate(times, at(400), {2, Millis(1000)});
    CHECK(over.retry_after == Millis(700));  // when two of three have left
}

TEST_CASE("rate: a limit of none, a window without end, and a clock that was set back")
{
    CHECK(!decide_rate({}, at(0), {0, Millis(50)}).allowed);
    const std::vector<Time> times{at(0), at(10'000'000)};
    CHECK(!decide_rate(times, at(1 << 30), {2}).allowed);
    CHECK(decide_rate(times, at(1 << 30), {3}).allowed);
    CHECK(!decide_rate(times, at(5), {2, Millis(10)}).allowed);  // what seems to come later is counted
    CHECK(decide_rate(times, at(5), {2, Millis(10)}).retry_after == Millis(5));
}

TEST_CASE("rate: what no window asks for any more can be dropped without changing a decision")
{
    const std::vector<Time> times{at(0), at(10), at(20), at(30)};
    const RateLimit limit{2, Millis(15)};
    const std::size_t expired = count_expired(times, at(30), limit.window);
    CHECK(expired == 2);
    const std::vector<Time> kept(times.begin() + 2, times.end());
    for (int now = 30; now < 60; ++now) {
        CAPTURE(now);
        CHECK(decide_rate(times, at(now), limit).allowed == decide_rate(kept, at(now), limit).allowed);
    }
}
