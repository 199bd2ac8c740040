// Drivers: which tasks somebody waits for. Only those are driven: a process drives its own task, and those of processes that
// asked it to because it has the home.
#pragma once

#include "base/id.hpp"

#include <functional>
#include <map>
#include <vector>

namespace cadre::home {

/// Lives on one loop; outlives its interests.
class Drivers {
public:
    /// `forgotten` hears of tasks in which nobody is interested any more although they were not at rest.
    explicit Drivers(std::function<void(const Id&)> forgotten) : forgotten_(std::move(forgotten)) {}
    Drivers(const Drivers&) = delete;
    Drivers& operator=(const Drivers&) = delete;

    /// Somebody's interest in a task, as long as it lives.
    class Interest {
    public:
        Interest(Drivers& drivers, const Id& task) : drivers_(drivers), task_(task) { ++drivers_.count_[task]; }
        Interest(const Interest&) = delete;
        Interest& operator=(const Interest&) = delete;
        ~Interest() { drivers_.leave(task_, at_rest_); }

        /// The task has come to where it can go no further by itself.
        void at_rest() { at_rest_ = true; }

    private:
        Drivers& drivers_;
        Id task_;
        bool at_rest_ = false;
    };

    bool has(const Id& task) const { return count_.contains(task); }
    std::vector<Id> all() const
    {
        std::vector<Id> tasks;
        for (const auto& [task, count] : count_) tasks.push_back(task);
        return tasks;
    }

private:
    void leave(const Id& task, bool at_rest)
    {
        const auto place = count_.find(task);
        if (--place->second > 0) return;
        count_.erase(place);
        if (!at_rest) forgotten_(task);
    }

    std::function<void(const Id&)> forgotten_;
    std::map<Id, int> count_;
};

}  // namespace cadre::home
