#include "engine/alarms.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace cadre::engine {

void Alarms::set(const Id& task, Time at)
{
    const auto [place, is_new] = times_.try_emplace(task, at);
    place->second = std::min(place->second, at);
    look();
}

void Alarms::look()
{
    stop();
    const Time now = loop_.clock().now();
    std::vector<Id> due;
    std::optional<Time> next;
    for (const auto& [task, time] : times_) {
        if (time <= now) due.push_back(task);
        else if (!next || time < *next) next = time;
    }
    if (next) loop_.start(*this, later(loop_.now(), *next - now));
    for (const Id& task : due) {
        times_.erase(task);
        ring_(task);
    }
}

}  // namespace cadre::engine
