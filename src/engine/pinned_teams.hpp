// PinnedTeams: the teams that tasks are pinned to, kept in the store under the hash of their text.
#pragma once

#include "base/async_fwd.hpp"
#include "engine/agent.hpp"
#include "engine/recent_teams.hpp"
#include "model/team.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace cadre::storage {
class Store;
}

namespace cadre::engine {

struct TaskSpec;

/// Kind of the documents that hold pinned teams, by the hash of their text.
inline constexpr std::string_view kTeamDocument = "team";
/// Of what tasks are pinned to beside their teams.
inline constexpr std::string_view kSetupDocument = "setup";

/// Lives on one loop. The store outlives it.
class PinnedTeams {
public:
    explicit PinnedTeams(storage::Store& store) : store_(store) {}

    /// The agents of a task's team. Throws Error(unavailable) when the store has lost it.
    Async<Agents> agents_for(TaskSpec spec);
    /// The team itself. Throws the same.
    Async<model::Team> team_for(TaskSpec spec);
    /// Keeps a team that is whole, with the definitions of its tools; `spec` is pinned to it. Returns its agents.
    Async<Agents> pin(model::Team team, TaskSpec& spec);
    /// Keeps a document; `spec` is pinned to it, and its run gets it from Run::setup().
    Async<> pin_setup(std::string text, TaskSpec& spec);

private:
    Async<Agents> with_setup(Agents agents, std::optional<std::string> key);
    Async<std::string> text_of(std::string_view kind, std::string key);

    storage::Store& store_;
    RecentTeams recent_;
};

}  // namespace cadre::engine
