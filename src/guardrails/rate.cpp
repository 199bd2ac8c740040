#include "guardrails/rate.hpp"

#include <algorithm>
#include <vector>

namespace cadre::guardrails {

RateDecision decide_rate(std::span<const Time> times, Time now, const RateLimit& limit)
{
    std::vector<Time> inside;
    for (const Time time : times)
        if (const Time when = std::min(time, now); now - when < limit.window) inside.push_back(when);
    if (inside.size() < limit.calls) return {true, inside.size(), Millis{}};
    if (limit.calls == 0 || limit.window == Millis::max()) return {false, inside.size(), limit.window};

    // it is allowed again when so many have left that limit.calls - 1 remain
    const auto leaves = inside.begin() + static_cast<std::ptrdiff_t>(inside.size() - limit.calls);
    std::ranges::nth_element(inside, leaves);
    return {false, inside.size(), *leaves + limit.window - now};
}

std::size_t count_expired(std::span<const Time> sorted, Time now, Millis window)
{
    return static_cast<std::size_t>(std::ranges::upper_bound(sorted, now - window) - sorted.begin());
}

}  // namespace cadre::guardrails
