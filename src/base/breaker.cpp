#include "base/breaker.hpp"

#include <algorithm>
#include <utility>

namespace cadre {

bool Breaker::may_pass(Instant now)
{
    if (state_ == BreakerState::closed) return true;
    if (state_ == BreakerState::half_open || now < retry_at_) return false;
    state_ = BreakerState::half_open;
    return true;
}

bool Breaker::succeeded()
{
    failures_ = 0;
    pause_ = kFirstPause;
    return std::exchange(state_, BreakerState::closed) != BreakerState::closed;
}

bool Breaker::failed(Instant now)
{
    const bool was_probe = state_ == BreakerState::half_open;
    if (state_ == BreakerState::open) return false;  // it had left before that
    if (!was_probe && ++failures_ < kFailures) return false;
    if (was_probe) pause_ = std::min(pause_ * 2, kLongestPause);
    state_ = BreakerState::open;
    retry_at_ = later(now, pause_);
    return true;
}

void Breaker::withdrawn()
{
    if (state_ == BreakerState::half_open) state_ = BreakerState::open;  // its time has come already
}

}  // namespace cadre
