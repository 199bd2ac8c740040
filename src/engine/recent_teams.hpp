// RecentTeams: the teams that tasks were pinned to last, and what runs make of them. Most tasks of a process have the same few teams, and
// to write, hash and read one takes longer than all the rest of a short task.
#pragma once

#include "engine/agent.hpp"
#include "model/team.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace cadre::engine {

/// A task's choices beside its team.
struct TeamChoice {
    std::string model{};  // that wins over what the team says, unless it is empty
    model::ExecutionMode mode = model::ExecutionMode::autonomous;

    bool operator==(const TeamChoice&) const = default;
};

struct RecentTeam {
    model::Team team{};  // whole: with the definitions of its tools
    std::string text{};  // that is kept in the store
    std::string key{};   // the hash of the text
    TeamChoice choice{};
    Agents agents{};
};

class RecentTeams {
public:
    using Pinned = std::shared_ptr<const RecentTeam>;

    /// For a team that is whole.
    Pinned pin(model::Team team, const TeamChoice& choice);
    /// For the text of a team as the store has it, under its hash. Throws Error when the text does not hold a team.
    Pinned read(std::string text, std::string_view key, const TeamChoice& choice);

private:
    /// The one that fits, which is the first from then on; null: none.
    template <typename Fits>
    Pinned used_again(Fits fits);
    Pinned keep(RecentTeam recent);

    static constexpr std::size_t kKept = 8;
    /// Bounds the texts, taken together; what is made of them takes several times as much. The first is kept in any case.
    static constexpr std::size_t kKeptBytes = std::size_t{8} << 20;

    std::deque<Pinned> teams_;  // the one used last first
};

}  // namespace cadre::engine
