// How much of what a server says is kept: a flood must not bury the log.
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace cadre::mcp {

/// So many lines every ten seconds.
class LogQuota {
public:
    static constexpr int kLines = 200;
    static constexpr Millis kEvery{10'000};

    /// Whether one more line is kept.
    bool take(Instant now)
    {
        if (taken_ == 0 || now - begun_ >= kEvery) {
            begun_ = now;
            taken_ = 0;
            left_out_ = 0;
        }
        if (taken_ < kLines) {
            ++taken_;
            return true;
        }
        ++left_out_;
        return false;
    }
    /// Lines that were not kept since the last that was.
    std::uint64_t left_out() const { return left_out_; }

private:
    Instant begun_{};
    int taken_ = 0;
    std::uint64_t left_out_ = 0;
};

}  // namespace cadre::mcp
