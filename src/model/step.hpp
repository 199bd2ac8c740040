// A step: one complete turn of an agent, a tool executor or a person. The history of a task is its steps; messages, traces
// and conversations are views of them.
#pragma once

#include "base/time.hpp"
#include "model/part.hpp"
#include "model/problem.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::model {

enum class Role : std::uint8_t { user, assistant, tool, system };
enum class Level : std::uint8_t { info, warning, error };

struct Step {
    std::string id{};  // step_…
    std::string task{};
    std::int64_t seq = 0;
    std::string agent{};
    Role role = Role::assistant;
    std::optional<std::string> parent{};     // the step that delegated this one
    std::optional<std::string> plan_item{};  // 004 calls it task_id (C-12)
    std::string mode = "autonomous";         // open: autonomous, step, hitl, …
    Level level = Level::info;
    std::vector<Part> parts{};
    boost::json::object memory_context{};
    boost::json::object metadata{};
    Time at{};
    std::optional<std::int64_t> duration{};  // milliseconds

    bool operator==(const Step&) const = default;
};

/// What does not fit together in a history: a result whose call is not before it, a parent that is not before its child,
/// an id that is there twice.
Problems broken_references(std::span<const Step> history);

std::span<const EnumName> names_of(const Role*);
std::span<const EnumName> names_of(const Level*);
const Entity& describe(const Step*);

}  // namespace cadre::model
