// How often somebody may ask: one number a bucket (GCRA, the leaky bucket as a time), decided by functions of it and of the time.
#pragma once

#include "base/time.hpp"
#include "net/http.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace cadre {
class Random;
}

namespace cadre::server {

/// Which bucket a route takes from.
enum class RateClass : std::uint8_t {
    read,
    write,
    create,  // tasks, of a tenant
    stream,
    heavy,
    admin,
    sign_in,  // that failed, of an address
    exempt,   // answers, cancels, health: never refused
};
std::string_view name_of(RateClass rate_class);

/// So many at once, and as many again in a window.
struct Rate {
    int quota = 1;
    Millis window{1000};

    bool operator==(const Rate&) const = default;
};
/// What holds where nothing else is configured.
Rate default_rate(RateClass rate_class);

/// What came of asking once more.
struct RateVerdict {
    bool allowed = true;
    int left = 0;         // further ones that would be allowed right now
    Millis full_in{};     // until all of the quota is there again
    Millis retry_in{};    // when it was not allowed: until one will be
    Instant next_free{};  // the bucket afterwards
};
/// `next_free` is the bucket: the moment at which all that was allowed is paid off; in the past: it is full.
RateVerdict after_request(const Rate& rate, Instant next_free, Instant now);

/// `RateLimit-Policy: "read";q=40;w=2`, `RateLimit: "read";r=39;t=1`, and `Retry-After` when it was refused.
net::HttpHeaders rate_headers(RateClass rate_class, const Rate& rate, const RateVerdict& verdict);

/// Buckets of everybody who asks, found by any text. It has room for so many that were used lately; when that is not enough, the one
/// that is full soonest is forgotten, and full from then on. Safe from any thread.
class RateBuckets {
public:
    /// The randomness keeps strangers from choosing names that share a bucket.
    explicit RateBuckets(Random& random, std::size_t most = 100'000);
    RateBuckets(const RateBuckets&) = delete;
    RateBuckets& operator=(const RateBuckets&) = delete;
    ~RateBuckets();

    RateVerdict take(RateClass rate_class, std::string_view who, const Rate& rate, Instant now);
    /// Whether take() would be allowed, without taking: for those who pay only when something fails.
    RateVerdict look(RateClass rate_class, std::string_view who, const Rate& rate, Instant now) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::server
