// Alarms: tasks that are not in memory and must be woken at a time.
#pragma once

#include "base/id.hpp"
#include "base/loop.hpp"
#include "base/time.hpp"

#include <functional>
#include <map>
#include <utility>

namespace cadre::engine {

/// Lives on its loop, which outlives it.
class Alarms final : Timer {
public:
    /// `ring` is called on the loop, once for each task whose time has come.
    Alarms(Loop& loop, std::function<void(const Id&)> ring) : loop_(loop), ring_(std::move(ring)) {}

    /// One that rings earlier stays.
    void set(const Id& task, Instant at);
    void remove(const Id& task) { times_.erase(task); }
    /// Nothing rings any more, until the next set().
    void stop() { Timer::stop(); }

private:
    void fire() noexcept override { look(); }
    void look();

    Loop& loop_;
    std::function<void(const Id&)> ring_;
    std::map<Id, Instant> times_;
};

}  // namespace cadre::engine
