// A task is being brought into memory: others who want it wait. Internal to the host.
#pragma once

#include "base/error.hpp"
#include "engine/host.hpp"

namespace cadre::engine {

/// How long a task is ours before we say so again.
inline constexpr Millis kLease{10'000};

/// A task that cannot continue here is left as it is, for whoever can.
class NotHere : public Error {
public:
    NotHere(Code code, const std::string& text) : Error(code, text) {}
    explicit NotHere(const Error& why) : Error(why) {}
};

/// Another owner has the task, or the store cannot do it just now: later that may be otherwise.
inline bool is_for_now(const Error& error)
{
    const Code code = error.code();
    if (dynamic_cast<const NotHere*>(&error)) return false;
    return code == Code::conflict || code == Code::unavailable || code == Code::rate_limited;
}

/// Who cancels a task that nobody waits for any more, and why.
inline constexpr std::string_view kByParent = "its parent";
inline constexpr std::string_view kParentEnded = "the task that had delegated it has ended";

/// Who waits for it.
inline std::optional<Id> parent_of(const TaskState& state)
{
    return state.spec.parent ? find_id(*state.spec.parent) : std::nullopt;
}

class Host::Loading {
public:
    Loading(Host& host, const Id& task) : host_(host), task_(task) { host_.loading_.insert(task); }
    Loading(const Loading&) = delete;
    Loading& operator=(const Loading&) = delete;
    ~Loading()
    {
        host_.loading_.erase(task_);
        host_.changes_.notify(task_);
        host_.removed_.notify();
    }

private:
    Host& host_;
    Id task_;
};

}  // namespace cadre::engine
