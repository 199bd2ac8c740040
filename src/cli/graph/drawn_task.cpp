#include "cli/graph/drawn_task.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/redact.hpp"
#include "cli/graph/team_progress.hpp"
#include "cli/task_text.hpp"
#include "engine/pinned_teams.hpp"
#include "model/read.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::cli {
namespace {

constexpr std::size_t kRecordsAtOnce = 256;
constexpr int kDeepestDrawn = 8;  // workflows in workflows
constexpr std::size_t kMostDrawn = 50;

void mask(std::vector<engine::NodeState>& states)
{
    for (engine::NodeState& state : states) state.error = redact(state.error);
}

}  // namespace

Async<std::unique_ptr<DrawnTask>> DrawnTask::open(engine::Queries& queries, engine::Principal by, std::string prefix)
{
    const Id task = co_await queries.resolve(by, std::move(prefix));
    const auto state = co_await queries.task(by, task);
    storage::Store& store = queries.store();
    std::unique_ptr<DrawnTask> drawn;
    if (state->spec.pattern.starts_with("graph@") && state->spec.setup) {
        const auto document = co_await store.find(std::string(engine::kSetupDocument), *state->spec.setup);
        if (!document)
            throw Error(Code::unavailable,
                        fmt::format("the workflow of task {} is missing in the store", short_id(task)));
        auto setup = model::from_text<model::WorkflowSetup>(document->text, {.limits = model::kTeamLimits});
        drawn.reset(new DrawnTask(store, task, std::move(setup)));
    } else {
        model::Team team;
        if (!state->spec.config.empty()) team = co_await engine::PinnedTeams(store).team_for(state->spec);
        if (team.agents.size() < 2)
            throw Error(Code::invalid,
                        fmt::format("task {} runs no workflow and has one agent, so there is nothing to draw (its "
                                    "pattern is {})",
                                    short_id(task), state->spec.pattern),
                        {"to see its steps", "trace " + short_id(task)});
        drawn.reset(new DrawnTask(store, task, std::move(team)));
    }
    while (co_await drawn->read_on()) {}
    co_return drawn;
}

DrawnTask::DrawnTask(storage::Store& store, const Id& task, model::Team team)
    : store_(store), task_(task), team_(TeamAtWork{.team = std::move(team)})
{}

DrawnTask::DrawnTask(storage::Store& store, const Id& task, model::WorkflowSetup setup)
    : store_(store), task_(task), setup_(std::move(setup))
{
    add(setup_.graph, "", 0);
}

void DrawnTask::add(const model::Graph& graph, const std::string& scope, int depth)
{
    states_.emplace_back(graph, scope);
    graphs_.push_back(&graph);
    for (const auto& [name, node] : graph.nodes) {
        const auto inner = inner_workflow(node);
        const model::Graph* nested = inner ? setup_.nested.find(inner->name) : nullptr;
        if (!nested || depth == kDeepestDrawn || graphs_.size() + others_.size() > kMostDrawn) continue;
        if (inner->once) add(*nested, scope + name + "/", depth + 1);
        else if (std::ranges::find(others_, nested) == others_.end()) others_.push_back(nested);
    }
}

Async<bool> DrawnTask::read_on()
{
    const auto records = co_await store_.read(task_, next_, kRecordsAtOnce);
    for (const storage::Record& record : records) {
        if (team_) {
            engine::apply(team_->task, record);
            team_->records.push_back(record);
        }
        for (engine::NodeProgress& states : states_) states.take(record);
        next_ = record.seq + 1;
    }
    ended_ = task().finished() && records.size() < kRecordsAtOnce;
    co_return !records.empty();
}

Drawings DrawnTask::drawings() const
{
    Drawings drawings;
    if (team_) {
        drawings.main = drawing_of(team_->team);
        auto states = agent_states(team_->team, engine::trace_of(team_->records), team_->task.finished());
        mask(states);
        set_states(drawings.main, std::move(states));
        return drawings;
    }
    std::size_t place = 0;
    for (const engine::NodeProgress& one : states_) {
        Drawing drawing = drawing_of(*graphs_[place]);
        auto states = one.states();
        mask(states);
        set_states(drawing, std::move(states));
        if (place++ == 0) drawings.main = std::move(drawing);
        else drawings.nested.push_back(std::move(drawing));
    }
    for (const model::Graph* graph : others_) drawings.nested.push_back(drawing_of(*graph));
    return drawings;
}

}  // namespace cadre::cli
