#include "engine/pinned_teams.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/sha256.hpp"
#include "engine/task_state.hpp"
#include "model/read.hpp"
#include "storage/store.hpp"

namespace cadre::engine {

Async<Agents> PinnedTeams::agents_for(TaskSpec spec)
{
    if (spec.config.empty()) co_return std::make_shared<const std::vector<Agent>>();
    std::string text = co_await text_of(spec.config);
    co_return recent_.read(std::move(text), spec.config, {spec.model, spec.mode})->agents;
}

Async<model::Team> PinnedTeams::team_for(TaskSpec spec)
{
    const std::string text = co_await text_of(std::move(spec.config));
    co_return model::from_text<model::Team>(text, {.limits = model::kTeamLimits});
}

Async<Agents> PinnedTeams::pin(model::Team team, TaskSpec& spec)
{
    const auto pinned = recent_.pin(std::move(team), {spec.model, spec.mode});
    spec.config = pinned->key;
    if (!co_await store_.find(std::string(kTeamDocument), spec.config)) {
        storage::Document document{.kind = std::string(kTeamDocument), .key = pinned->key, .text = pinned->text};
        co_await store_.put(std::move(document));
    }
    co_return pinned->agents;
}

Async<std::string> PinnedTeams::text_of(std::string key)
{
    auto document = co_await store_.find(std::string(kTeamDocument), key);
    if (!document || to_hex(sha256(document->text)) != key)
        throw Error(Code::unavailable, "the pinned team " + key.substr(0, 12) + " is missing or damaged in the store");
    co_return std::move(document->text);
}

}  // namespace cadre::engine
