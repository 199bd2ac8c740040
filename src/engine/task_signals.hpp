// TaskSignals: coroutines wait until something about one task is different, and look for themselves what it is.
#pragma once

#include "base/id.hpp"
#include "base/wait.hpp"

#include <map>
#include <optional>

namespace cadre::engine {

/// Lives on one loop, and longer than those who wait.
class TaskSignals {
public:
    /// `co_await signals.changed(task)`
    class Waiting final : public Wait {
    public:
        Waiting(TaskSignals& signals, const Id& task) : signals_(signals), task_(task) {}
        ~Waiting() { leave(); }
        void await_resume() const { finish(); }

    private:
        friend class TaskSignals;
        bool arm() override
        {
            place_ = signals_.waiting_.emplace(task_, this);
            return true;
        }
        bool withdraw() noexcept override
        {
            leave();
            return true;
        }
        void leave() noexcept
        {
            if (place_) signals_.waiting_.erase(*place_);
            place_.reset();
        }

        TaskSignals& signals_;
        Id task_;
        std::optional<std::multimap<Id, Waiting*>::iterator> place_;
    };

    Waiting changed(const Id& task) { return {*this, task}; }
    void notify(const Id& task) noexcept
    {
        for (auto place = waiting_.find(task); place != waiting_.end() && place->first == task;) {
            Waiting& one = *place->second;
            place = waiting_.erase(place);
            one.place_.reset();
            one.wake();
        }
    }

private:
    std::multimap<Id, Waiting*> waiting_;
};

}  // namespace cadre::engine
