#include "server/rate.hpp"

#include "base/random.hpp"
#include "base/sha256.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cadre::server {
namespace {

using namespace std::chrono_literals;

struct RateRow {
    std::string_view name;
    Rate rate;
};
/// In the order of RateClass.
constexpr std::array<RateRow, 8> kRates = {{
    {"read", {40, 2s}},
    {"write", {40, 2s}},
    {"create", {60, 60s}},
    {"stream", {10, 2s}},
    {"heavy", {2, 2s}},
    {"admin", {10, 2s}},
    {"sign_in", {10, 60s}},
    {"exempt", {1'000'000, 1s}},
}};

const RateRow& row_of(RateClass rate_class)
{
    return kRates.at(static_cast<std::size_t>(rate_class));
}

constexpr std::size_t kWays = 8;  // buckets among which one is looked for

struct Bucket {
    std::uint64_t who = 0;  // a hash; 0: nobody
    Instant next_free{};
};
static_assert(sizeof(Bucket) == 16);

long long seconds(Millis time)
{
    return std::chrono::ceil<std::chrono::seconds>(time).count();
}

Millis rounded_up(Monotonic::duration time)
{
    return std::chrono::ceil<Millis>(std::max(time, Monotonic::duration::zero()));
}

}  // namespace

std::string_view name_of(RateClass rate_class)
{
    return row_of(rate_class).name;
}

Rate default_rate(RateClass rate_class)
{
    return row_of(rate_class).rate;
}

RateVerdict after_request(const Rate& rate, Instant next_free, Instant now)
{
    const Monotonic::duration window = rate.window;
    const Monotonic::duration each = window / rate.quota;
    // a bucket can owe no more than a window: what is further ahead comes from a rate that was changed
    const Instant owed = std::clamp(next_free, now, now + window);
    const Instant then = owed + each;
    // whole requests that fit into the window; `each` was rounded down, so that quota of them always do
    const bool allowed = then <= now + window;
    const Instant after = allowed ? then : owed;
    const auto left = (now + window - after) / each;
    return {.allowed = allowed,
            .left = static_cast<int>(std::min<std::int64_t>(left, rate.quota)),
            .full_in = rounded_up(after - now),
            .retry_in = allowed ? Millis{} : rounded_up(then - window - now),
            .next_free = after};
}

net::HttpHeaders rate_headers(RateClass rate_class, const Rate& rate, const RateVerdict& verdict)
{
    if (rate_class == RateClass::exempt) return {};
    const std::string_view name = name_of(rate_class);
    net::HttpHeaders headers{
        {"RateLimit-Policy", fmt::format("\"{}\";q={};w={}", name, rate.quota, seconds(rate.window))},
        {"RateLimit", fmt::format("\"{}\";r={};t={}", name, verdict.left, seconds(verdict.full_in))},
    };
    if (!verdict.allowed) headers.push_back({"Retry-After", std::to_string(std::max(seconds(verdict.retry_in), 1LL))});
    return headers;
}

struct RateBuckets::Impl {
    Impl(Random& random, std::size_t most) : buckets((std::max(most, kWays) + kWays - 1) / kWays * kWays)
    {
        random.fill(std::as_writable_bytes(std::span(seed)));
    }

    std::uint64_t hash_of(RateClass rate_class, std::string_view who) const
    {
        const char kind = static_cast<char>(rate_class);
        const Hash hash = Sha256().add({seed.data(), seed.size()}).add({&kind, 1}).add(who).finish();
        std::uint64_t front = 0;
        std::memcpy(&front, hash.data(), sizeof front);
        return front == 0 ? 1 : front;
    }
    /// Theirs, or one that can become theirs: nobody's, or else the one that is full soonest.
    Bucket& place_of(std::uint64_t who)
    {
        const std::size_t first = who % (buckets.size() / kWays) * kWays;
        const std::span ways(buckets.data() + first, kWays);
        const auto own = std::ranges::find(ways, who, &Bucket::who);
        return own != ways.end() ? *own : *std::ranges::min_element(ways, {}, &Bucket::next_free);
    }

    std::array<char, 16> seed;
    std::mutex mutex;
    std::vector<Bucket> buckets;
};

RateBuckets::RateBuckets(Random& random, std::size_t most) : impl_(std::make_unique<Impl>(random, most))
{}
RateBuckets::~RateBuckets() = default;

RateVerdict RateBuckets::take(RateClass rate_class, std::string_view who, const Rate& rate, Instant now)
{
    if (rate_class == RateClass::exempt) return {};
    const std::uint64_t hash = impl_->hash_of(rate_class, who);
    const std::lock_guard lock(impl_->mutex);
    Bucket& place = impl_->place_of(hash);
    const RateVerdict verdict = after_request(rate, place.who == hash ? place.next_free : Instant{}, now);
    place = {hash, verdict.next_free};
    return verdict;
}

RateVerdict RateBuckets::look(RateClass rate_class, std::string_view who, const Rate& rate, Instant now) const
{
    if (rate_class == RateClass::exempt) return {};
    const std::uint64_t hash = impl_->hash_of(rate_class, who);
    const std::lock_guard lock(impl_->mutex);
    const Bucket& place = impl_->place_of(hash);
    return after_request(rate, place.who == hash ? place.next_free : Instant{}, now);
}

}  // namespace cadre::server
