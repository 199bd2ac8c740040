// Teams: tasks of several agents, as patterns/team and patterns/plan play them, and what their agents and people say.
#pragma once

#include "llm/model.hpp"
#include "model/team.hpp"
#include "storage/record.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace cadre::sim {

class Chance;

enum class TeamKind : std::uint8_t { none, handoffs, parallel, consensus, hierarchical, plan };
inline constexpr std::uint64_t kTeamKinds = 5;  // that are one

struct TeamTask {
    model::Team team{};
    std::string pattern{};  // of the task
    std::string prompt{};
    bool by_time = false;  // what it answers hangs on when things happen
};

TeamTask team_task(TeamKind kind, std::uint64_t number);

/// What an agent of a team says to what only teams ask; nothing: it says what anybody would.
std::optional<llm::Completion> team_answer(std::uint64_t salt, const llm::Request& request);

/// A change of the plan that the journal tells: some items stay, whatever they are doing, others go, and a new one comes.
boost::json::object some_edit(Chance& chance, std::span<const storage::Record> records, const std::string& new_item);
/// One of the team.
std::string some_member(Chance& chance);

}  // namespace cadre::sim
