// Interventions: what people change while a task runs. What cannot be is refused here, so that the task never meets it.
#include "base/async.hpp"
#include "base/json.hpp"
#include "engine/body.hpp"
#include "engine/commands.hpp"
#include "engine/host.hpp"
#include "engine/plan_edit.hpp"
#include "engine/plan_view.hpp"
#include "engine/queries.hpp"
#include "engine/run_state.hpp"
#include "model/read.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

constexpr std::size_t kMostPlan = 256 << 10;

const boost::json::value& detail_in(const Intervention& intervention, std::string_view name)
{
    const auto* detail = intervention.details.if_contains(name);
    if (!detail || detail->is_null()) throw Error(Code::invalid, std::string(name) + ": is required");
    return *detail;
}

/// With the team that people have put in place of the first one.
TaskSpec changed_by_people(TaskSpec spec, std::span<const Record> records)
{
    for (const Record& record : records) {
        if (record.kind != RecordKind::setting) continue;
        const auto setting = body_of<SettingBody>(record);
        if (setting.config.is_set()) spec.config = setting.config.str();
    }
    return spec;
}

std::vector<std::string> agent_names(std::span<const Agent> agents)
{
    std::vector<std::string> names;
    for (const Agent& agent : agents) names.push_back(agent.name);
    return names;
}

/// Whoever has something to do in the plan stays.
void expect_workers(const model::Team& team, const model::Plan& plan)
{
    for (const model::PlanItem& item : plan.items) {
        if (item.status == model::PlanItemStatus::completed || item.status == model::PlanItemStatus::failed) continue;
        if (std::ranges::find(team.agents, item.agent, &model::Agent::name) == team.agents.end())
            throw Error(Code::invalid, "team: " + in_quotes(item.agent) + " is to do " + in_quotes(item.id) +
                                           " of the plan, and is not in it; change the plan first");
    }
}

}  // namespace

Async<> Commands::intervene(Principal by, Id task, Intervention intervention)
{
    using Type = model::InterventionType;
    if (intervention.type == Type::instruction)
        co_return co_await instruct(std::move(by), task, std::move(intervention.instruction));
    const bool is_team = intervention.type == Type::team_modification;
    const auto state = co_await queries_.task_for(by, is_team ? Act::change : Act::work, task);
    SettingBody setting{.by = Text::unless_empty(by.subject)};
    std::string text;
    if (intervention.type == Type::plan_update) {
        const auto& plan = detail_in(intervention, "plan");
        text = to_text(plan);
        if (text.size() > kMostPlan) throw Error(Code::too_large, "the plan is larger than 256 KiB");
        if (is_planned(state->spec)) {
            const auto records = co_await read_whole(store_, task);
            const auto agents = co_await host_.teams().agents_for(changed_by_people(state->spec, records));
            read_edit(plan, plan_in(records), agent_names(*agents));
        }
        setting.plan = RawJson{text};
    } else if (is_team) {
        auto team = model::from_json<model::Team>(detail_in(intervention, "team"), {.limits = model::kTeamLimits});
        if (std::ranges::find(team.agents, state->spec.agent, &model::Agent::name) == team.agents.end())
            throw Error(Code::invalid, "team: the task works for " + in_quotes(state->spec.agent) +
                                           ", who is not in it; a changed team keeps that agent");
        if (is_planned(state->spec)) expect_workers(team, plan_in(co_await read_whole(store_, task)));
        TaskSpec spec = state->spec;
        co_await host_.pin(std::move(team), spec);
        text = spec.config;
        setting.config = text;
    } else {
        if (is_planned(state->spec))
            throw Error(Code::invalid,
                        "a task with a plan has no next agent: its items say who works; change the plan");
        const auto name = detail_in(intervention, "next_agent");
        if (!name.is_string()) throw Error(Code::invalid, "next_agent: must be the name of an agent");
        text = name.get_string();
        const auto records = co_await read_whole(store_, task);
        const auto agents = co_await host_.teams().agents_for(changed_by_people(state->spec, records));
        std::string known;
        for (const Agent& agent : *agents) known += (known.empty() ? "" : ", ") + agent.name;
        if (std::ranges::find(*agents, text, &Agent::name) == agents->end())
            throw Error(Code::invalid, "the team has no agent " + in_quotes(text) + "; it has: " + known);
        setting.next_agent = text;
    }
    co_await host_.input(task, [&](RunState& run) { return run.intervene(setting); }, Waking::held);
}

}  // namespace cadre::engine
