#include "engine/pinned_teams.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/sha256.hpp"
#include "engine/prompt_template.hpp"
#include "engine/task_state.hpp"
#include "model/read.hpp"
#include "storage/store.hpp"

namespace cadre::engine {

Async<Agents> PinnedTeams::agents_for(TaskSpec spec)
{
    if (spec.config.empty()) co_return co_await with_setup(std::make_shared<const TeamAgents>(), spec.setup);
    std::string text = co_await text_of(kTeamDocument, spec.config);
    auto agents = recent_.read(std::move(text), spec.config, {spec.model, spec.mode})->agents;
    co_return co_await with_setup(std::move(agents), spec.setup);
}

Async<Agents> PinnedTeams::with_setup(Agents agents, std::optional<std::string> key)
{
    if (!key) co_return agents;
    auto own = std::make_shared<TeamAgents>(*agents);
    own->setup = co_await text_of(kSetupDocument, *key);
    co_return own;
}

Async<> PinnedTeams::pin_setup(std::string text, TaskSpec& spec)
{
    storage::Document document{
        .kind = std::string(kSetupDocument), .key = to_hex(sha256(text)), .text = std::move(text)};
    spec.setup = document.key;
    co_await store_.put(std::move(document));
}

Async<model::Team> PinnedTeams::team_for(TaskSpec spec)
{
    const std::string text = co_await text_of(kTeamDocument, std::move(spec.config));
    co_return model::from_text<model::Team>(text, {.limits = model::kTeamLimits});
}

Async<Agents> PinnedTeams::pin(model::Team team, TaskSpec& spec)
{
    const auto pinned = recent_.pin(std::move(team), {spec.model, spec.mode});
    spec.config = pinned->key;
    if (!co_await store_.find(std::string(kTeamDocument), spec.config)) {
        for (const model::Agent& agent : pinned->team.agents) expect_template(agent, pinned->team);
        storage::Document document{.kind = std::string(kTeamDocument), .key = pinned->key, .text = pinned->text};
        co_await store_.put(std::move(document));
    }
    co_return co_await with_setup(pinned->agents, spec.setup);
}

Async<std::string> PinnedTeams::text_of(std::string_view kind, std::string key)
{
    const std::string what(kind);
    auto document = co_await store_.find(what, key);
    if (!document || to_hex(sha256(document->text)) != key)
        throw Error(Code::unavailable,
                    "the pinned " + what + " " + key.substr(0, 12) + " is missing or damaged in the store");
    co_return std::move(document->text);
}

}  // namespace cadre::engine
