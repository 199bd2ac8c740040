// Two machines that answer each other would never end: how often a sender is answered, and not twice in a row to the same words.
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <string>

namespace cadre::channels {

/// Knows the last hour; a new process begins anew.
class LoopGuard {
public:
    /// Whether another message of that sender may be answered; then it counts.
    bool may_answer(const std::string& sender, const std::string& text, int per_hour, Time now);

private:
    struct Sender {
        std::deque<Time> answered{};
        std::size_t text = 0;  // hash of the last one
    };

    void forget_old(Time now);

    std::map<std::string, Sender> senders_;
    Time looked_at_{};
};

}  // namespace cadre::channels
