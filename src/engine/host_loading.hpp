// A task is being brought into memory: others who want it wait. Internal to the host.
#pragma once

#include "engine/host.hpp"

namespace cadre::engine {

/// How long a task is ours before we say so again.
inline constexpr Millis kLease{10'000};

/// Who cancels a task that nobody waits for any more, and why.
inline constexpr std::string_view kByParent = "its parent";
inline constexpr std::string_view kParentEnded = "the task that had delegated it has ended";

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
