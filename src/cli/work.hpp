// What `run` is to run: found, read and made whole, so that the task needs none of these files any more.
#pragma once

#include "engine/commands.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cadre::cli {

/// What was typed.
struct WorkWanted {
    std::optional<std::string> file{};  // or the name of a team or an agent
    std::optional<std::string> agent{};
    std::optional<std::string> model{};
    std::optional<std::string> mode{};
    std::optional<std::string> budget{};
    std::optional<std::string> kind{};
    std::optional<std::string> retention_days{};
    std::string prompt{};
};

struct Work {
    engine::CreateTask task{};
    std::vector<std::string> notes{};  // what the person should know before it starts
};

/// Looks names up in the project and then in the home (C-17). Throws Error that says what is wrong and what to do: a name that
/// nobody has, a faulty file, no model, a tool or a model that this release has not.
Work prepare(const WorkWanted& wanted);

/// The pieces that `over` has, and the others of `budget`.
engine::Budget merged(engine::Budget budget, const engine::Budget& over);

}  // namespace cadre::cli
