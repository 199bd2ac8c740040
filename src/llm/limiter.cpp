#include "llm/limiter.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace cadre::llm {
namespace {

constexpr Millis kLongestRefill = std::chrono::hours(1);  // nobody's minute is longer; a header that says so is wrong

/// Vendors agree on what to say and not on how to call it. `reset` is a duration or a time of day.
struct Names {
    std::string_view remaining;
    std::string_view reset;
};
constexpr Names kRequests[] = {{"x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"},
                               {"anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"}};
constexpr Names kTokens[] = {{"x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"},
                             {"anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"},
                             {"anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"}};

std::optional<std::int64_t> header_number(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
    return number;
}

std::optional<Millis> until_reset(std::string_view text, Time wall)
{
    if (const auto duration = header_duration(text)) return duration;
    try {
        return std::max(time_from_iso(text) - wall, Millis{0});
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::optional<Millis> unit_of(std::string_view name)
{
    if (name == "ms") return Millis(1);
    if (name == "s") return Millis(1000);
    if (name == "m") return Millis(60'000);
    if (name == "h") return Millis(3'600'000);
    return std::nullopt;
}

}  // namespace

std::optional<Millis> header_duration(std::string_view text)
{
    if (text.empty()) return std::nullopt;
    double sum = 0;  // milliseconds
    while (!text.empty()) {
        double number = 0;
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
        if (error != std::errc{} || !(number >= 0)) return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        const std::size_t digits = std::min(text.find_first_of("0123456789"), text.size());
        const auto unit = unit_of(text.substr(0, digits));
        if (!unit) return std::nullopt;
        sum += number * static_cast<double>(unit->count());
        text.remove_prefix(digits);
    }
    if (sum > static_cast<double>(kLongestRefill.count())) return kLongestRefill;
    return Millis(static_cast<std::int64_t>(std::ceil(sum)));
}

Instant Limiter::when(Allowance& allowance, std::int64_t amount, Instant now)
{
    if (!allowance.left) return now;
    if (allowance.full_at <= now) {  // filled up again; how far, the next answer tells
        allowance.left.reset();
        return now;
    }
    // a request that is larger than what a whole minute allows must not wait for ever: it goes when there is most
    return *allowance.left >= amount ? now : allowance.full_at;
}

Instant Limiter::enter(Instant now, std::int64_t tokens)
{
    const Instant due = std::max({blocked_until_, when(requests_, 1, now), when(tokens_, tokens, now)});
    if (due > now) return due;
    if (requests_.left) --*requests_.left;
    if (tokens_.left) *tokens_.left -= std::min(*tokens_.left, tokens);
    return now;
}

void Limiter::block(Instant until)
{
    blocked_until_ = std::max(blocked_until_, until);
}

void Limiter::learn(const net::HttpHeaders& headers, Instant now, Time wall)
{
    const auto take = [&](Allowance& allowance, const Names& names) {
        const auto remaining = net::find_header(headers, names.remaining);
        const auto reset = net::find_header(headers, names.reset);
        if (!remaining || !reset) return false;
        const auto left = header_number(*remaining);
        const auto wait = until_reset(*reset, wall);
        if (!left || !wait) return false;
        // answers come in any order: of two that speak of one minute, the one that leaves less is the later
        const Instant full_at = later(now, std::min(*wait, kLongestRefill));
        const bool same_minute = allowance.left && allowance.full_at > now;
        allowance.left = same_minute ? std::min(*allowance.left, *left) : *left;
        allowance.full_at = full_at;
        return true;
    };
    for (const Names& names : kRequests)
        if (take(requests_, names)) break;
    for (const Names& names : kTokens)
        if (take(tokens_, names)) break;
}

}  // namespace cadre::llm
