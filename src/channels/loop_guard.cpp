#include "channels/loop_guard.hpp"

#include <functional>

namespace cadre::channels {
namespace {

constexpr Millis kHour = std::chrono::hours{1};
constexpr Millis kSameText = std::chrono::seconds{30};

}  // namespace

bool LoopGuard::may_answer(const std::string& sender, const std::string& text, int per_hour, Time now)
{
    forget_old(now);
    Sender& one = senders_[sender];
    while (!one.answered.empty() && now - one.answered.front() >= kHour) one.answered.pop_front();
    const std::size_t hash = std::hash<std::string>()(text);
    const bool same = !one.answered.empty() && one.text == hash && now - one.answered.back() < kSameText;
    if (same || one.answered.size() >= static_cast<std::size_t>(per_hour)) return false;
    one.answered.push_back(now);
    one.text = hash;
    return true;
}

void LoopGuard::forget_old(Time now)
{
    if (now - looked_at_ < kHour) return;
    looked_at_ = now;
    std::erase_if(senders_, [&](const auto& one) {
        return one.second.answered.empty() || now - one.second.answered.back() >= kHour;
    });
}

}  // namespace cadre::channels
