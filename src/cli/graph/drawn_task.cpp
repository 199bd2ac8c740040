#include "cli/graph/drawn_task.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/redact.hpp"
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
    const std::string short_name = short_id(task);
    const Error none(Code::invalid,
                     fmt::format("task {} runs no workflow, so there is nothing to draw (its pattern is {})",
                                 short_name, state->spec.pattern),
                     {"to see its steps", "trace " + short_name});
    if (!state->spec.setup) throw none;
    const auto document = co_await queries.store().find(std::string(engine::kSetupDocument), *state->spec.setup);
    if (!document)
        throw Error(Code::unavailable, fmt::format("the workflow of task {} is missing in the store", short_name));
    if (!state->spec.pattern.starts_with("graph@")) throw none;
    auto setup = model::from_text<model::WorkflowSetup>(document->text, {.limits = model::kTeamLimits});
    std::unique_ptr<DrawnTask> drawn(new DrawnTask(queries.store(), task, std::move(setup)));
    while (co_await drawn->read_on()) {}
    co_return drawn;
}

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
        for (engine::NodeProgress& states : states_) states.take(record);
        next_ = record.seq + 1;
    }
    ended_ = task().finished() && records.size() < kRecordsAtOnce;
    co_return !records.empty();
}

Drawings DrawnTask::drawings() const
{
    Drawings drawings;
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
