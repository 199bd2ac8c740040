#include "patterns/plan/plan_execute.hpp"

#include "base/json.hpp"
#include "base/mutant.hpp"
#include "engine/plan_edit.hpp"
#include "engine/run.hpp"
#include "patterns/plan/plan_flow.hpp"
#include "patterns/plan/planning.hpp"
#include "patterns/plan/told.hpp"
#include "patterns/react.hpp"
#include "patterns/team/speak.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::patterns {

using engine::Agent;
using engine::PlanItemEnd;
using engine::Run;
using model::PlanItem;
using model::PlanItemStatus;

namespace {

/// A failure is what the item came to, so that plan.json says so at once.
Async<PlanItemEnd> work_on(Run& run, PlanItem item, Floor floor)
{
    PlanItemEnd end{.status = PlanItemStatus::completed};
    try {
        const Agent& agent = run.agent(item.agent);
        run.take_seat(agent, agent.max_parallel_tasks);  // who waits for one has not begun
        if (co_await run.has_news()) co_return PlanItemEnd{.status = PlanItemStatus::pending};
        end.text = (co_await speak(run, agent, floor)).text;
    } catch (const Error& error) {
        if (is_limit_of_run(error)) throw;
        end = {.status = PlanItemStatus::failed, .text = error.what()};
    }
    co_return end;
}

/// All that can be done of the plan as it is, or up to a change of it: then whatever runs goes to its end, and nothing begins.
Async<> work_through(Run& run, PlanAtWork& progress)
{
    co_await run.announce({.what = std::string(engine::kPlanFact),
                           .agent = run.agent().name,
                           .fact = parse_json(model::to_json_text(progress.plan)).as_object()});
    std::vector<engine::Settled<PlanItemEnd>> ends;
    const PlanFlow flow(progress.plan, ends);
    const auto work = [&](Run& part, std::size_t i, const engine::Inputs<PlanItemEnd>&) {
        return work_on(part, flow.item(i), floor_for(flow.item(i), progress, flow));
    };
    co_await run.flow<PlanItemEnd>(flow, work, ends);
    flow.add_to(progress);
}

/// Whether there is something to do again: the plan was changed, or items were put off.
Async<bool> hears_more(Run& run, PlanAtWork& progress)
{
    const engine::Heard heard = co_await run.heed_if_told();
    if (heard.plan && !is_mutant(Mutant::plan_edit_lost))
        progress.plan = engine::edited(progress.plan, model::from_json<model::Plan>(*heard.plan));
    co_return heard.plan || std::ranges::count(progress.plan.items, PlanItemStatus::pending, &PlanItem::status) > 0;
}

}  // namespace

Async<model::Reply> plan_execute(Run& run)
{
    const std::string planner = run.agent().name;
    PlanAtWork progress;
    progress.plan = co_await run.node(std::string(engine::kPlanNode), make_plan);
    co_await hears_more(run, progress);
    while (true) {
        co_await work_through(run, progress);
        if (co_await hears_more(run, progress)) continue;
        const Floor floor = floor_at_the_end(run, progress);
        const Turn last = co_await run.node(std::string(engine::kConcludeNode),
                                            [&](Run& node) { return speak(node, node.agent(planner), floor); });
        if (co_await hears_more(run, progress)) continue;
        model::Reply reply = run.reply(last.text);
        reply.partial = is_partial(progress.plan);
        co_return reply;
    }
}

}  // namespace cadre::patterns
