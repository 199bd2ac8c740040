// ContextCopy: a task as a store outside shows it to clients of document 002. A pure fold over the records of the task, and what
// such a store is told of it.
#pragma once

#include "engine/conversation.hpp"
#include "engine/projections/chronicle.hpp"
#include "model/views/orchestration.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cadre::engine {

/// Whether a copy from before the record says something else than one from after it.
bool changes_context(const storage::Record& record);

class ContextCopy {
public:
    /// The next record. Throws Error(unavailable) when its body cannot be read.
    void apply(const storage::Record& record);

    const TaskState& state() const { return chronicle_.state(); }
    /// `before`: what was said in its session before it. `router`: the agent that only decides who answers; empty: there is none.
    model::orchestration::TaskContext context(std::span<const TurnMessage> before, std::string_view router) const;

private:
    Chronicle chronicle_;
    boost::json::object routing_;  // as it was decided
};

/// The value that is stored. What is too long for it loses its oldest messages, and then whatever else is too long.
inline constexpr std::size_t kMostContextBytes = std::size_t{1} << 20;
std::string stored_text(model::orchestration::TaskContext context, std::size_t most = kMostContextBytes);

/// A copy stays until something is done with the task.
inline constexpr Millis kStays = Millis::max();
/// How long a copy still stays when `last` is when something was last done; zero: its time is over. Who waits for a person may wait
/// for long (C-18).
Millis time_left(model::TaskStatus status, Time last, Millis lifetime, Time now);

/// Where it is stored: `task:ID`, of tenants beside the local one `TENANT:task:ID`.
std::string stored_key(std::string_view tenant, std::string_view task);
/// Where the number of its last record is, by which a late writer is known.
std::string stored_number_key(std::string_view tenant, std::string_view task);

}  // namespace cadre::engine
