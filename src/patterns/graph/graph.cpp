#include "patterns/graph/graph.hpp"

#include "base/error.hpp"
#include "engine/run.hpp"
#include "patterns/graph/visit.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace cadre::patterns {

using engine::Run;
using model::NodeWork;

namespace {

/// Workflows in each other; none can be in itself, so people will not come to this limit.
constexpr int kDeepest = 16;

struct WholeResult {
    std::string text{};
    json::object update{};
};

Async<WholeResult> walk_through(Run& run, const Board& board, Setting setting,
                                const model::Dict<model::StateField>& wanted)
{
    for (const auto& field : setting.state.metadata) board.expect_value(std::string(field.key()), field.value(), "");
    Results results;
    const Walk walk(board, setting, results);
    co_await run.flow<model::NodeResult>(
        walk,
        [&walk](Run& at, std::size_t place, const engine::Inputs<model::NodeResult>& inputs) {
            return visit(at, walk, place, inputs.counted());
        },
        results);
    co_return WholeResult{walk.reply(), walk.update_for(wanted)};
}

}  // namespace

Async<NodeWork> run_nested(Run& run, const Visit& visit, const std::string& workflow)
{
    const Setting& around = visit.walk.setting();
    const Board& board = around.workflows->find(workflow);
    if (around.depth >= kDeepest)
        throw Error(Code::limit,
                    fmt::format("workflows lie {} deep in each other at '{}'", kDeepest, visit.node().name));
    json::object given = visit.state->metadata;
    Setting setting{.workflows = around.workflows, .names = around.names, .depth = around.depth + 1};
    for (const auto& name : visit.names) {
        setting.names[name.key()] = name.value();
        given[name.key()] = name.value();
    }
    setting.task = visit.node().prompt ? visit.node().prompt->render(names_for(run, visit)) : around.task;
    setting.last = last_of(visit.heard(), around.last);
    setting.state = model::initial_state(board.graph(), given);
    setting.state.routing_key = visit.state->routing_key;
    WholeResult outcome = co_await walk_through(run, board, std::move(setting), visit.graph().state);
    co_return NodeWork{.said = {{.text = std::move(outcome.text)}}, .update = std::move(outcome.update)};
}

Async<model::Reply> run_workflow(Run& run, model::WorkflowSetup setup)
{
    const Workflows workflows(std::move(setup));
    co_return co_await run_workflow(run, workflows);
}

Async<model::Reply> run_workflow(Run& run, const Workflows& workflows)
{
    const Board& board = workflows.main();
    run.limit_iterations(board.graph().max_iterations);  // nodes count themselves, turns and attempts among them
    Setting setting{.workflows = &workflows, .task = run.prompt()};
    setting.state = model::initial_state(board.graph(), run.input());
    WholeResult outcome = co_await walk_through(run, board, std::move(setting), {});
    co_return run.reply(std::move(outcome.text));
}

Async<model::Reply> graph(Run& run)
{
    return run_workflow(run, run.setup<model::WorkflowSetup>());
}

}  // namespace cadre::patterns
