#include "engine/fork.hpp"

#include "base/async.hpp"
#include "engine/body.hpp"
#include "engine/commands.hpp"
#include "engine/delegated.hpp"
#include "engine/effect_path.hpp"
#include "engine/foreign_team.hpp"
#include "engine/host.hpp"
#include "engine/queries.hpp"
#include "engine/rehearsal.hpp"
#include "engine/reuse.hpp"
#include "engine/state_change.hpp"
#include "engine/team_change.hpp"
#include "model/graph.hpp"
#include "model/read.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <map>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

bool changes_something(const ForkTask& request)
{
    return request.description || request.model || request.prompt || !request.settings.empty() ||
           !request.state.empty();
}

model::Agent& agent_called(model::Team& team, const std::string& name)
{
    std::string names;
    for (model::Agent& agent : team.agents) {
        if (agent.name == name || (name.empty() && team.agents.size() == 1)) return agent;
        names += (names.empty() ? "" : ", ") + agent.name;
    }
    if (name.empty()) throw Error(Code::invalid, "the team has several agents; say whose prompt it is: " + names);
    throw Error(Code::not_found, "the team has no agent " + in_quotes(name) + "; it has: " + names);
}

/// The team of the fork.
model::Team changed_team(model::Team team, const ForkTask& request)
{
    if (request.prompt) {
        model::Agent& agent = agent_called(team, request.agent);
        agent.prompt = *request.prompt;
        agent.prompt_template.reset();
    }
    for (const auto& [path, value] : request.settings) change_team(team, path, value);
    return team;
}

/// Agents whose model, or what it is told beside the request, is not what it was.
std::vector<std::string> other_agents(const std::vector<Agent>& before, const std::vector<Agent>& now, bool by_model)
{
    std::vector<std::string> names;
    for (const Agent& agent : now) {
        const auto was = std::ranges::find(before, agent.name, &Agent::name);
        const bool same = was != before.end() && was->model() == agent.model() &&
                          (by_model || (was->options.temperature == agent.options.temperature &&
                                        was->options.max_tokens == agent.options.max_tokens));
        if (!same) names.push_back(agent.name);
    }
    return names;
}

/// Whether it would do the same, asked the same.
bool is_same(const Agent& a, const Agent& b)
{
    const auto same_tool = [&](const std::string& name) {
        const model::Tool *in_a = a.find_tool(name), *in_b = b.find_tool(name);
        return in_a && in_b ? *in_a == *in_b : in_a == in_b;
    };
    return a.instructions == b.instructions && a.model() == b.model() &&
           a.options.temperature == b.options.temperature && a.options.max_tokens == b.options.max_tokens &&
           a.tools == b.tools && a.max_iterations == b.max_iterations && std::ranges::all_of(a.tools, same_tool);
}

/// Everybody who is not as before.
std::set<std::string> changed_agents(const std::vector<Agent>& before, const std::vector<Agent>& now)
{
    std::set<std::string> names;
    for (const Agent& agent : before) {
        const auto is = std::ranges::find(now, agent.name, &Agent::name);
        if (is == now.end() || !is_same(agent, *is)) names.insert(agent.name);
    }
    return names;
}

/// Where the fork of a workflow gets another state, besides what its origin got there. Throws Error(invalid) that says what the
/// workflow declares.
boost::json::object overrides_of(const ForkTask& request, const std::vector<Record>& records, const TaskState& source,
                                 const Agents& pinned)
{
    if (request.state.empty()) return {};
    if (pinned->setup.empty()) throw Error(Code::invalid, "only the state of a workflow can be changed");
    if (!request.at || request.at->by != ForkPoint::By::checkpoint)
        throw Error(Code::invalid, "say at which checkpoint the state is changed");
    const auto setup = model::from_text<model::WorkflowSetup>(pinned->setup, {.limits = model::kTeamLimits});
    expect_state(request.state, setup.graph);
    const std::string node = node_at(records, request.at->number);
    boost::json::object update;
    if (const auto* changed_at = source.spec.overrides.if_contains("after")) {
        const std::string changed(changed_at->as_string());
        if (changed != node)
            throw Error(Code::invalid, "the task is a fork whose state was changed at node " + in_quotes(changed) +
                                           "; change it there once more, or fork the task that it came from");
        update = source.spec.overrides.at("update").as_object();
    }
    for (const auto& field : request.state) update[field.key()] = field.value();
    return {{"after", node}, {"update", std::move(update)}};
}

/// What the fork is, before it is known what it takes over.
TaskSpec spec_of(const TaskState& source, const ForkTask& request, const Principal& by)
{
    TaskSpec spec = source.spec;
    spec.budget = request.budget.value_or(source.budget);
    spec.breakpoints = source.breakpoints;
    spec.created_by = by.subject;
    spec.parent.reset();
    spec.session.reset();  // it hears what was said before, and is no turn itself
    spec.turn = 0;
    spec.pending = false;
    spec.after.reset();
    spec.imported.reset();
    if (request.description) spec.description = *request.description;
    if (source.spec.imported) {
        spec.project = request.project;
        spec.model = without_address(spec.model);
    }
    if (request.model) spec.model = *request.model;
    return spec;
}

/// Whether one of `agents` worked on the task or on what it delegated. A task that is not kept any more may have been anybody's.
Async<bool> is_work_of(storage::Store& store, const std::string& tenant, Id task, const std::set<std::string>& agents)
{
    std::vector<Id> tasks{task};
    std::set<Id> seen{task};
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto records = co_await store.read(tasks[i]);
        if (records.empty() || records.front().tenant != tenant) co_return true;
        for (const Record& record : records)
            if (record.kind == RecordKind::intent && agents.contains(agent_of(body_of<IntentBody>(record).of).str()))
                co_return true;
        for (const Delegated& below : delegated_in(records))
            if (seen.insert(below.child).second) tasks.push_back(below.child);
    }
    co_return false;
}

/// Numbers of the instructions that a model call took in, or of what else people said that the run took in.
std::vector<std::uint32_t> inputs_of(const Record& record)
{
    if (effect_of(record) == EffectKind::heed && record.kind == RecordKind::outcome)
        return own_of<HeedOutcome>(body_of<OutcomeBody>(record), record).inputs.get();
    if (effect_of(record) != EffectKind::think || record.kind != RecordKind::intent) return {};
    return own_of<ThinkIntent>(body_of<IntentBody>(record), record).inputs.get();
}

/// The records that a fork takes over, as entries of its own journal, in their order.
class Copy {
public:
    Copy(const std::vector<Record>& records, const std::set<std::string, std::less<>>& taken, std::uint32_t at)
    {
        std::set<std::uint32_t> heard;
        for (const Record& record : records)
            if (taken.contains(record.path))
                for (const std::uint32_t number : inputs_of(record)) heard.insert(number);
        std::uint32_t before = 0;
        for (const Record& record : records) {
            const int own_events = static_cast<int>(record.event_seq - std::exchange(before, record.event_seq));
            // what a person said before the point counts, though the call that heard it may be made anew
            const bool is_said = record.kind == RecordKind::instruction ||
                                 (record.kind == RecordKind::setting && body_of<SettingBody>(record).is_intervention());
            const bool is_heard = is_said && (record.seq <= at || heard.contains(record.seq));
            if (is_heard || (belongs_to_effect(record) && taken.contains(record.path))) add(record, own_events);
        }
    }

    std::vector<JournalEntry> entries;
    std::uint32_t events = 0;

private:
    void add(const Record& record, int own_events)
    {
        entries.push_back(
            {.kind = record.kind, .path = record.path, .ask = record.ask, .body = record.body, .events = own_events});
        events += static_cast<std::uint32_t>(own_events);
        numbers_[record.seq] = kOwnRecords + static_cast<std::uint32_t>(entries.size());
        std::vector<std::uint32_t> inputs = inputs_of(record);
        if (inputs.empty()) return;
        for (std::uint32_t& number : inputs) number = numbers_[number];
        entries.back().body = with_inputs(record, inputs);
    }

    std::map<std::uint32_t, std::uint32_t> numbers_;  // of records there and here
};

void count_reused(ForkReport& report, const std::vector<JournalEntry>& entries)
{
    std::set<std::string_view> effects;
    for (const JournalEntry& entry : entries) {
        if (entry.kind == RecordKind::node_done || entry.path.empty() || !effects.insert(entry.path).second) continue;
        ++report.reused;
        if (find_effect(effect_in(entry.path)) == EffectKind::think) ++report.model_calls;
    }
}

}  // namespace

Async<ForkReport> Commands::fork(Principal by, ForkTask request)
{
    co_await queries_.expect(by, Act::change, request.from);
    auto records = co_await read_whole(store_, request.from);
    const TaskState source = fold(records);
    const std::uint32_t at = request.at ? record_at(records, *request.at) : 0;
    if (!changes_something(request)) {
        if (!request.at) throw Error(Code::invalid, "a fork needs a point to begin from, or something that is changed");
        records.resize(at);  // done anew from there on
    }

    TaskSpec spec = spec_of(source, request, by);
    const Agents before = co_await host_.teams().agents_for(source.spec);
    if (auto overrides = overrides_of(request, records, source, before); !overrides.empty())
        spec.overrides = std::move(overrides);
    Agents agents;
    const bool changes = request.prompt || !request.settings.empty();
    if (changes && spec.config.empty()) throw Error(Code::invalid, "the task has no team that could be changed");
    if (!spec.config.empty() && (changes || source.spec.imported)) {
        const model::Team own = co_await host_.teams().team_for(spec);
        auto team = changed_team(source.spec.imported ? as_foreign(own) : own, request);
        if (team != own) agents = co_await host_.pin(std::move(team), spec);
    }
    if (!agents) agents = co_await host_.teams().agents_for(spec);
    const bool redacted = (source.spec.imported && source.spec.imported->redacted) ||
                          (source.spec.forked_from && source.spec.forked_from->redacted);

    ForkReport report{.task = request.id ? *request.id : new_id(host_.env().random), .from = request.from};
    TaskState view;
    view.id = report.task;
    view.tenant = source.tenant;
    view.spec = spec;
    view.spec.forked_from.reset();  // the records have their own numbers
    view.budget = spec.budget;
    Reuse::Rules rules{.at = at, .other_agents = other_agents(*before, *agents, false), .has_digests = !redacted};
    if (const auto changed = changed_agents(*before, *agents); !changed.empty())
        for (const Delegated& below : delegated_in(records))
            if (co_await is_work_of(store_, source.tenant, below.child, changed)) rules.other_work.insert(below.path);
    Reuse reuse(std::move(rules));
    spec.forked_from = ForkedFrom{.task = to_string(request.from),
                                  .seq = static_cast<int>(at),
                                  .other_models = other_agents(*before, *agents, true),
                                  .redacted = redacted};
    {
        const Pattern& pattern = host_.patterns().get(spec.pattern);
        auto history = co_await history_of(store_, spec.history);
        Rehearsal rehearsal(host_.env(), pattern, std::move(view), records, agents, std::move(history), &reuse);
        co_await rehearsal.perform();
        report.live = rehearsal.state().at_the_gate();
        for (const std::string& path : rehearsal.state().waiting_for_cancel()) {
            reuse.give_back(path);
            report.live.push_back(path);
        }
    }

    Copy copy(records, reuse.taken(), at);
    count_reused(report, copy.entries);
    report.events = 1 + copy.events;
    spec.forked_from->records = static_cast<int>(copy.entries.size());
    std::vector<JournalEntry> entries{{.kind = RecordKind::created, .body = model::to_json_text(spec)},
                                      {.kind = RecordKind::started, .body = started_body(spec, *agents), .events = 1}};
    std::ranges::move(copy.entries, std::back_inserter(entries));
    if (co_await host_.write_journal(source.tenant, report.task, std::move(entries))) co_return report;

    const TaskState there = fold(co_await read_whole(store_, report.task));
    if (there.tenant != source.tenant || !there.spec.forked_from ||
        there.spec.forked_from->task != to_string(request.from))
        throw Error(Code::conflict,
                    "there is a task " + to_string(report.task) + " already, and it is not a fork of this one");
    co_return report;
}

}  // namespace cadre::engine
