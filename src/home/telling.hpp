// What whoever drives a task is told while it runs.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "engine/hub.hpp"

#include <string>
#include <variant>

namespace cadre::home {

/// The task stands still until a person answers that question, of it or of a task below it.
struct WaitsForPerson {
    Id task{};
    std::string request{};
};
const model::Entity& describe(const WaitsForPerson*);

/// The question of a task below was answered, or is not asked any more. Of the task itself an event says so.
struct WaitsNoMore {};

/// One of many tasks that are driven has come to rest.
struct TaskAtRest {
    Id task{};
    std::string status{};
    std::string error{};  // why it could not continue; empty: it could
};
const model::Entity& describe(const TaskAtRest*);

using Told =
    std::variant<engine::EventPtr, model::StreamChunk, engine::ChunkGap, WaitsForPerson, WaitsNoMore, TaskAtRest>;

class Listener {
public:
    /// Whoever tells waits until it is taken.
    virtual Async<> hear(Told told) = 0;

protected:
    ~Listener() = default;
};

}  // namespace cadre::home
