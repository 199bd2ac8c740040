#include "engine/alarms.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace cadre::engine {

void Alarms::set(const Id& task, Instant at)
{
    const auto [place, is_new] = times_.try_emplace(task, at);
    place->second = std::min(place->second, at);
    look();
}

void Alarms::look()
{
    stop();
    const Instant now = loop_.now();
    std::vector<Id> due;
    std::optional<Instant> next;
    for (const auto& [task, time] : times_) {
        if (time <= now) due.push_back(task);
        else if (!next || time < *next) next = time;
    }
    if (next) loop_.start(*this, *next);
    for (const Id& task : due) {
        times_.erase(task);
        ring_(task);
    }
}

}  // namespace cadre::engine
