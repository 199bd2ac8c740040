// A drawing for programs.
#pragma once

#include "cli/graph/drawing.hpp"

#include <span>
#include <string>

namespace cadre::engine {
struct TaskState;
}

namespace cadre::cli {

/// One object on one line. `task`: whose states these are; null: nobody's. `nested`: workflows that nodes run.
std::string drawing_json(const Drawing& drawing, std::span<const Drawing> nested, const engine::TaskState* task);
/// `{"node":"review","status":"done",…}`
std::string node_json(const DrawnNode& node, const std::string& workflow);

}  // namespace cadre::cli
