// Breaker: keeps requests from an endpoint that does not work. Closed, they pass; after failures in a row it opens and they fail at
// once; after a while one may try, and how that goes decides.
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace cadre {

enum class BreakerState : std::uint8_t { closed, open, half_open };

/// A plain value; its owner says what time it is.
class Breaker {
public:
    static constexpr int kFailures = 5;
    static constexpr Millis kFirstPause{30'000};
    static constexpr Millis kLongestPause{300'000};

    /// Whether a request may go out now. Of an open one whose time has come the first may: the probe.
    bool may_pass(Instant now);
    /// Each tells how a request ended that passed, and returns true when the state is another now.
    bool succeeded();
    bool failed(Instant now);
    /// Its sender gave up, so it says nothing about the endpoint; another one may probe.
    void withdrawn();

    BreakerState state() const { return state_; }
    /// Of an open one: when the next may try.
    Instant opens_again() const { return retry_at_; }

private:
    BreakerState state_ = BreakerState::closed;
    int failures_ = 0;  // in a row
    Millis pause_ = kFirstPause;
    Instant retry_at_{};
};

}  // namespace cadre
