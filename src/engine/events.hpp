// What the public sees of a record: document 004's events, made from the record alone, so that a replay gives the same ones.
#pragma once

#include "model/event.hpp"
#include "storage/record.hpp"

#include <string>
#include <vector>

namespace cadre::engine {

class Body;

/// The events that the record stands for: as many as its `event_seq` is above its predecessor's.
std::vector<model::Event> public_events(const storage::Record& record, const Body& body);
/// The same as JSON.
std::vector<std::string> events_of(const storage::Record& record);

}  // namespace cadre::engine
