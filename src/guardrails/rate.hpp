// How often: a sliding window over recorded times. The caller keeps the times, and records what was decided.
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <span>

namespace cadre::guardrails {

struct RateLimit {
    std::size_t calls = 0;
    Millis window = Millis::max();  // max: for ever
};

struct RateDecision {
    bool allowed = true;
    std::size_t counted = 0;  // calls in the window that ends now, without this one
    Millis retry_after{};     // until it would be allowed; the whole window where that is never
};

/// May one more call be made at `now`? `times`: of the calls that were allowed, in any order. A call leaves the window when it is
/// exactly as old as it; times of the future, which a clock that was set back leaves behind, count as now.
RateDecision decide_rate(std::span<const Time> times, Time now, const RateLimit& limit);

/// How many of the times, sorted, no window will ask for any more: the caller may drop them from the front.
std::size_t count_expired(std::span<const Time> sorted, Time now, Millis window);

}  // namespace cadre::guardrails
