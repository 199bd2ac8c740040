// What `run` is to run: found, read and made whole, so that the task needs none of these files any more.
#pragma once

#include "engine/commands.hpp"
#include "home/project/resolve.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cadre::home {

class Project;
struct Place;

/// What was typed.
struct RunRequest {
    std::optional<std::string> file{};  // or the name of a team, an agent or a workflow
    std::optional<std::string> workflow{};
    std::optional<std::string> agent{};    // that it begins with
    std::optional<std::string> pattern{};  // that it begins with: a collaboration pattern of the team, or `plan`
    std::optional<std::string> model{};
    std::optional<std::string> mode{};
    std::optional<std::string> budget{};
    std::optional<std::string> kind{};
    std::optional<std::string> retention_days{};
    std::vector<std::string> input{};  // of a workflow: KEY=VALUE each
    std::string prompt{};
    std::optional<std::filesystem::path> more_teams{};  // folder around a teams/ where names are looked up last
    bool by_name = false;  // `file` is a name and never a file: whoever asks does not sit at this machine
};

struct PreparedTask {
    engine::CreateTask task{};
    std::vector<std::string> notes{};  // what the person should know before it starts
};

/// Throws Error when that is no prompt: it is empty, no text, or too long.
void expect_prompt(const std::string& prompt);

/// A task for a session that goes on with what it had. Throws what is wrong with the model or the budget.
engine::CreateTask another_turn(const Project& here, const RunRequest& wanted);

/// Looks names up in the project and then in the home (C-17). Throws Error that says what is wrong and what to do: a name that
/// nobody has, a faulty file, no model, a tool or a model that this release has not.
PreparedTask prepare(const std::shared_ptr<const Project>& here, const RunRequest& wanted);
/// The same, and the prompt comes later.
PreparedTask prepare_team(const std::shared_ptr<const Project>& here, const RunRequest& wanted);

/// The file alone, as it would run: whether its model can be asked is not looked at.
Resolution find_team(const std::shared_ptr<const Project>& here, const RunRequest& wanted);

/// The pieces that `over` has, and the others of `budget`.
engine::Budget merged(engine::Budget budget, const engine::Budget& over);

}  // namespace cadre::home
