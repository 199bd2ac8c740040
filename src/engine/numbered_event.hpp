// An event of a task and its number: what those who watch it are told.
#pragma once

#include "engine/hub.hpp"
#include "model/event.hpp"
#include "storage/record.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cadre::engine {

struct NumberedEvent {
    std::uint32_t number = 0;
    model::Event event{};
};

/// The events that the record stands for; `before`: how many there were until then.
std::vector<EventPtr> numbered_events(const storage::Record& record, std::uint32_t before);

/// `{"seq":7,"event":{…}}` and a newline: an event as programs get it.
std::string line_of(const NumberedEvent& event);

}  // namespace cadre::engine
