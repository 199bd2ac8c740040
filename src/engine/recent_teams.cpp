#include "engine/recent_teams.hpp"

#include "base/sha256.hpp"
#include "model/read.hpp"
#include "model/write.hpp"

#include <algorithm>
#include <utility>

namespace cadre::engine {

namespace {

model::Team team_from(std::string_view text)
{
    return model::from_text<model::Team>(text, {.limits = model::kTeamLimits});
}

Agents shared_agents(model::Team team, const TeamChoice& choice, std::string key)
{
    auto agents = agents_of(team, choice.model, choice.mode);
    return std::make_shared<const TeamAgents>(std::move(agents), std::make_shared<const model::Team>(std::move(team)),
                                              std::move(key));
}

}  // namespace

template <typename Fits>
RecentTeams::Pinned RecentTeams::used_again(Fits fits)
{
    const auto found = std::find_if(teams_.begin(), teams_.end(), [&](const Pinned& one) { return fits(*one); });
    if (found == teams_.end()) return nullptr;
    std::rotate(teams_.begin(), found, found + 1);
    return teams_.front();
}

RecentTeams::Pinned RecentTeams::pin(model::Team team, const TeamChoice& choice)
{
    if (auto known = used_again([&](const RecentTeam& one) { return one.choice == choice && one.team == team; }))
        return known;
    std::string text = model::to_json_text(team);
    std::string key = to_hex(sha256(text));
    Agents agents = shared_agents(team_from(text), choice, key);  // as read after a restart
    return keep({std::move(team), std::move(text), std::move(key), choice, std::move(agents)});
}

RecentTeams::Pinned RecentTeams::read(std::string text, std::string_view key, const TeamChoice& choice)
{
    if (auto known = used_again([&](const RecentTeam& one) { return one.choice == choice && one.key == key; }))
        return known;
    model::Team team = team_from(text);
    Agents agents = shared_agents(team, choice, std::string(key));
    return keep({std::move(team), std::move(text), std::string(key), choice, std::move(agents)});
}

RecentTeams::Pinned RecentTeams::keep(RecentTeam recent)
{
    teams_.push_front(std::make_shared<const RecentTeam>(std::move(recent)));
    std::size_t bytes = 0;
    const auto is_too_much = [&](const Pinned& one) { return (bytes += one->text.size()) > kKeptBytes; };
    const auto end = std::find_if(teams_.begin() + 1, teams_.end(), is_too_much);
    teams_.erase(std::min(end, teams_.begin() + std::min(kKept, teams_.size())), teams_.end());
    return teams_.front();
}

}  // namespace cadre::engine
