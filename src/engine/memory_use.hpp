// What calls of `remember` and `recall` ask of the memory, what they are told, and what a record, an event and a history say of them.
#pragma once

#include "base/time.hpp"
#include "engine/memory_port.hpp"
#include "model/event.hpp"
#include "model/part.hpp"

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

struct Env;
class RunState;

/// What a call did with the memory, as its outcome has it: which items, not what they say.
struct MemoryUse {
    model::MemoryOperation operation = model::MemoryOperation::retrieve;
    std::string agent{};
    std::vector<model::MemoryReference> references{};
    std::string query{};
    std::optional<double> threshold{};
    MemoryChange change = MemoryChange::created;
    std::int64_t size = 0;  // of what was stored, in bytes

    bool operator==(const MemoryUse&) const = default;
};
const model::Entity& describe(const MemoryUse*);

MemoryUse use_of(const Remembered& kept, const std::string& agent, std::int64_t size);
MemoryUse use_of(const Recall& found, const std::string& agent, const std::string& query);
/// Items that whoever made the call knows from now on.
std::vector<std::string> recalled_by(const MemoryUse& use);
/// Nothing: it has changed nothing.
std::optional<model::Event> event_of(const MemoryUse& use, Time at);
model::MemoryPart part_of(const MemoryUse& use);

/// Of arguments that fit the tools' schemas. Throws Error(invalid) for a time that is none.
MemoryNote note_from(const boost::json::object& arguments, const std::string& agent);
MemoryQuery query_from(const boost::json::object& arguments, const std::string& agent);

/// For the model. What is known stands in a fence that no text in it can close: it is data, whatever it says.
std::string told(const Recall& found);
std::string told(const Remembered& kept);

/// Throws Error(invalid) that names `what` when this program has none.
MemoryPort& memory_in(const Env& env, std::string_view what);
/// On whose behalf the effect at `path` uses it.
MemoryOwner memory_owner(const RunState& state, const std::string& path, std::string_view agent);

}  // namespace cadre::engine
