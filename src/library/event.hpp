// Events as public headers have them.
#pragma once

#include "cadre/task.hpp"
#include "engine/hub.hpp"

#include <map>
#include <optional>
#include <string>

namespace cadre::library {

/// One for each reader, because a result says only to which call it belongs.
class EventTranslator {
public:
    /// Nothing: it says nothing.
    std::optional<Event> translated(const engine::Watched& seen);

private:
    Event kept(const engine::NumberedEvent& numbered);

    std::map<std::string, std::string> tools_;  // by the id of a call that has no result yet
};

}  // namespace cadre::library
