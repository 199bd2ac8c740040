// Deadlines: when something is due by a clock that is never set. Journals know only the time of day; each of theirs is translated once in a
// process, so that a clock which is set meanwhile neither hastens nor delays it.
#pragma once

#include "base/id.hpp"
#include "base/loop.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace cadre::engine {

/// What is due at `due`, and was to take `whole` when it was written down: no clock makes that longer.
inline Instant instant_of(const Loop& loop, Time due, Millis whole)
{
    return later(loop.now(), std::clamp(due - loop.clock().now(), Millis{0}, std::max(whole, Millis{0})));
}

/// Lives on its loop, which outlives it.
class Deadlines {
public:
    explicit Deadlines(const Loop& loop) : loop_(loop) {}

    Instant of(const Id& task, std::string_view path, Time due, Millis whole)
    {
        auto& paths = tasks_[task];
        const auto place = paths.find(path);
        if (place != paths.end()) return place->second;
        return paths.emplace(path, instant_of(loop_, due, whole)).first->second;
    }
    /// The task has ended.
    void forget(const Id& task) { tasks_.erase(task); }

private:
    const Loop& loop_;
    std::map<Id, std::map<std::string, Instant, std::less<>>> tasks_;
};

}  // namespace cadre::engine
