// What a task has done: its history, plan, figures, spans, checkpoints, and whether its journal holds.
#include "base/async.hpp"
#include "base/redact.hpp"
#include "engine/delegated_trace.hpp"
#include "engine/plan_edit.hpp"
#include "engine/plan_view.hpp"
#include "engine/projections/chronicle.hpp"
#include "engine/projections/task_files.hpp"
#include "engine/trace.hpp"
#include "home/home_owner.hpp"
#include "model/describe.hpp"
#include "model/views/agentx.hpp"
#include "model/views/agentx_requests.hpp"
#include "model/views/agentx_workspace.hpp"
#include "server/call.hpp"
#include "server/deed.hpp"
#include "server/routes/routes.hpp"
#include "server/service.hpp"
#include "server/views.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace cadre::server {
namespace {

using model::Entity;
using model::field;
using model::Home;
using model::agentx::PlanFile;

engine::Queries& queries_of(Call& call)
{
    return call.service().home.runtime().queries();
}

/// All that its journal tells, without secrets, as its files show it.
Async<engine::Chronicle> chronicle_of(Call& call)
{
    engine::Chronicle chronicle;
    for (const storage::Record& record : co_await queries_of(call).records(call.by(), call.task())) {
        const auto masked = engine::find_masked(record);
        chronicle.apply(masked ? *masked : record);
    }
    co_return chronicle;
}

// ---- history ----

struct HistoryQuery {
    std::int64_t after = 0;
    int limit = 100;
};

const Entity& describe(const HistoryQuery*)
{
    static const Entity entity{
        .name = "history_query",
        .doc = "Which part of a history.",
        .fields = {field("after", &HistoryQuery::after, "Steps before this number are left out.", {.min = 0}),
                   field("limit", &HistoryQuery::limit, "How many at most.", {.min = 1, .max = 1000})},
        .home = {Home::Kind::message}};
    return entity;
}

struct HistoryPage {
    std::vector<model::agentx::TaskStep> steps{};
    std::optional<std::int64_t> next_after{};
};

const Entity& describe(const HistoryPage*)
{
    static const Entity entity{.name = "history_page",
                               .doc = "Steps of a task, in their order.",
                               .fields = {field("steps", &HistoryPage::steps, "A page of them."),
                                          field("next_after", &HistoryPage::next_after,
                                                "`after` of the next page; null: this was the last one.")},
                               .home = {Home::Kind::message}};
    return entity;
}

Async<HistoryPage> history(Call& call, HistoryQuery query)
{
    const engine::Chronicle chronicle = co_await chronicle_of(call);
    const auto& all = chronicle.history();
    const auto first = std::min<std::size_t>(static_cast<std::size_t>(query.after), all.size());
    const std::size_t end = std::min(first + static_cast<std::size_t>(query.limit), all.size());
    HistoryPage page;
    for (std::size_t i = first; i < end; ++i) page.steps.push_back(model::agentx::to_task_step(all[i]));
    if (end < all.size()) page.next_after = static_cast<std::int64_t>(end);
    co_return page;
}

Async<model::agentx::PerformanceFile> performance(Call& call)
{
    co_return (co_await chronicle_of(call)).performance();
}

// ---- plan ----

/// The number of the journal's last record: an edit that was made for an older plan is refused.
std::string plan_tag(const engine::Chronicle& chronicle)
{
    return fmt::format("\"{}\"", chronicle.seq());
}

void expect_planned(const engine::TaskState& state)
{
    if (!engine::is_planned(state.spec))
        throw Refusal(404, Code::not_found, "no_plan", "the task was not planned first, so it has no plan");
}

Async<PlanFile> plan(Call& call)
{
    const engine::Chronicle chronicle = co_await chronicle_of(call);
    expect_planned(chronicle.state());
    call.add_header("ETag", plan_tag(chronicle));
    co_return model::agentx::to_plan_file(chronicle.plan());
}

Async<PlanFile> change_plan(Call& call, PlanFile body)
{
    if (co_await was_written(call, storage::RecordKind::setting)) co_return co_await plan(call);
    const engine::Chronicle before = co_await chronicle_of(call);
    expect_planned(before.state());
    const std::string_view known = call.header("If-Match");
    if (!known.empty() && known != "*" && known != plan_tag(before))
        throw Refusal(412, Code::conflict, "changed", "the plan has changed since; read it again",
                      {{"etag", plan_tag(before)}});
    boost::json::object details{{"plan", model::to_json_value(body)}};
    co_await call.service().home.perform(call.by(), home::Intervene{.task = call.task(),
                                                                    .type = model::InterventionType::plan_update,
                                                                    .details = std::move(details)});
    co_return co_await plan(call);
}

// ---- trace ----

struct SpanView {
    std::string kind{};
    std::string status{};
    int depth = 0;
    std::string path{};
    std::string name{};
    std::string agent{};
    Time begin{};
    std::optional<Time> end{};
    int attempts = 1;
    std::int64_t input_tokens = 0;
    std::int64_t output_tokens = 0;
    double cost_usd = 0;
    std::string input{};
    std::string output{};
    std::string error{};
    std::vector<std::string> calls{};
    std::vector<std::string> after{};
    bool joins = false;
    std::optional<std::string> task_id{};
};

const Entity& describe(const SpanView*)
{
    static const Entity entity{
        .name = "span_view",
        .doc = "Something that took a time: a model call, a tool call, a question, a delegated task.",
        .fields = {field("kind", &SpanView::kind, "What it is."),
                   field("status", &SpanView::status, "open, done, failed or cancelled."),
                   field("depth", &SpanView::depth,
                         "0: the task; each is in the last one before it that is less deep."),
                   field("path", &SpanView::path, "Where in the run."),
                   field("name", &SpanView::name, "Of the agent, tool or node."),
                   field("agent", &SpanView::agent, "Who did it."), field("begin", &SpanView::begin, "When it began."),
                   field("end", &SpanView::end, "When it ended; null: it is running."),
                   field("attempts", &SpanView::attempts, "How often it was tried."),
                   field("input_tokens", &SpanView::input_tokens, "That models were sent in it."),
                   field("output_tokens", &SpanView::output_tokens, "That models wrote in it."),
                   field("cost_usd", &SpanView::cost_usd, "What that cost."),
                   field("input", &SpanView::input, "The prompt, the arguments, the question."),
                   field("output", &SpanView::output, "The answer, the result."),
                   field("error", &SpanView::error, "Why it failed."),
                   field("calls", &SpanView::calls, "Tools that it asked for."),
                   field("after", &SpanView::after, "Of a node: those that it waited for, as far as they counted."),
                   field("joins", &SpanView::joins, "Whether it joins these: several, or as many as had to come."),
                   field("task_id", &SpanView::task_id, "The task that it was delegated to.")},
        .home = {Home::Kind::message}};
    return entity;
}

struct TraceView {
    std::string task_id{};
    std::vector<SpanView> spans{};
};

const Entity& describe(const TraceView*)
{
    static const Entity entity{.name = "trace_view",
                               .doc = "Who did what, when and for how long.",
                               .fields = {field("task_id", &TraceView::task_id, "Of the task."),
                                          field("spans", &TraceView::spans, "Each before those in it.")},
                               .home = {Home::Kind::message}};
    return entity;
}

SpanView span_view(const engine::Span& span)
{
    SpanView view{.kind = std::string(name_of(span.kind)),
                  .status = std::string(name_of(span.status)),
                  .depth = span.depth,
                  .path = span.path,
                  .name = redact(span.name),
                  .agent = redact(span.agent),
                  .begin = span.begin,
                  .end = span.end,
                  .attempts = span.attempts,
                  .input_tokens = span.usage.input,
                  .output_tokens = span.usage.output,
                  .cost_usd = span.usage.cost,
                  .input = redact(span.input),
                  .output = redact(span.output),
                  .error = redact(span.error)};
    for (const std::string& call : span.calls) view.calls.push_back(redact(call));
    for (const std::string& node : span.after) view.after.push_back(redact(node));
    view.joins = span.joins;
    if (span.child) view.task_id = to_string(*span.child);
    return view;
}

Async<TraceView> trace(Call& call)
{
    engine::Trace trace = engine::trace_of(co_await queries_of(call).records(call.by(), call.task()));
    co_await engine::graft_delegated(call.service().home.runtime().store(), trace);
    TraceView view{.task_id = to_string(trace.task)};
    for (const engine::Span& span : trace.spans) view.spans.push_back(span_view(span));
    co_return view;
}

// ---- the tasks below ----

constexpr std::size_t kMostBelow = 1'000;

struct TreeView {
    std::vector<TaskSummary> tasks{};
};

const Entity& describe(const TreeView*)
{
    static const Entity entity{.name = "tree_view",
                               .doc = "A task and all below it; `parent_task_id` says what is below what.",
                               .fields = {field("tasks", &TreeView::tasks, "At most 1,000; the task itself first.")},
                               .home = {Home::Kind::message}};
    return entity;
}

Async<TreeView> tree(Call& call)
{
    engine::Queries& queries = queries_of(call);
    TreeView view;
    view.tasks.push_back(task_summary(co_await queries.entry(call.by(), call.task())));
    for (std::size_t next = 0; next < view.tasks.size() && view.tasks.size() < kMostBelow; ++next) {
        const storage::TaskQuery below{.parent = view.tasks[next].id, .limit = kMostBelow - view.tasks.size()};
        for (const storage::TaskEntry& entry : co_await queries.tasks(call.by(), below))
            view.tasks.push_back(task_summary(entry));
    }
    co_return view;
}

// ---- checkpoints ----

struct CheckpointList {
    std::vector<model::Checkpoint> checkpoints{};
};

const Entity& describe(const CheckpointList*)
{
    static const Entity entity{.name = "checkpoint_list",
                               .doc = "Where a task can be forked.",
                               .fields = {field("checkpoints", &CheckpointList::checkpoints, "The oldest first.")},
                               .home = {Home::Kind::message}};
    return entity;
}

Async<CheckpointList> checkpoints(Call& call)
{
    co_return CheckpointList{(co_await chronicle_of(call)).checkpoints()};
}

// ---- whether it holds ----

struct VerifyView {
    std::string task_id{};
    std::int64_t records = 0;
    std::vector<std::string> problems{};
};

const Entity& describe(const VerifyView*)
{
    static const Entity entity{
        .name = "verify_view",
        .doc = "Whether a journal is intact.",
        .fields = {field("task_id", &VerifyView::task_id, "Of the task."),
                   field("records", &VerifyView::records, "That its journal has."),
                   field("problems", &VerifyView::problems, "What is wrong with it; empty: it is intact.")},
        .home = {Home::Kind::message}};
    return entity;
}

Async<VerifyView> verify(Call& call)
{
    engine::VerifyReport report = co_await queries_of(call).verify(call.by(), call.task());
    co_return VerifyView{to_string(report.task), static_cast<std::int64_t>(report.records), std::move(report.problems)};
}

struct ReplayView {
    std::string task_id{};
    std::int64_t records = 0;
    std::int64_t events = 0;
    bool finished = false;
    std::vector<std::string> open{};
    std::optional<std::string> diverged{};
};

const Entity& describe(const ReplayView*)
{
    static const Entity entity{
        .name = "replay_view",
        .doc = "What came of running a task against its own journal, with nothing performed.",
        .fields = {field("task_id", &ReplayView::task_id, "Of the task."),
                   field("records", &ReplayView::records, "That were replayed."),
                   field("events", &ReplayView::events, "That came of it."),
                   field("finished", &ReplayView::finished, "It reached the same end."),
                   field("open", &ReplayView::open, "With what it would continue."),
                   field("diverged", &ReplayView::diverged, "What the code does differently; null: nothing.")},
        .home = {Home::Kind::message}};
    return entity;
}

Async<ReplayView> replay(Call& call)
{
    engine::ReplayReport report = co_await call.service().home.runtime().commands().replay(call.by(), call.task());
    ReplayView view{.task_id = to_string(report.task),
                    .records = static_cast<std::int64_t>(report.records),
                    .events = static_cast<std::int64_t>(report.events),
                    .finished = report.finished,
                    .open = std::move(report.open)};
    if (!report.diverged.empty()) view.diverged = std::move(report.diverged);
    co_return view;
}

constexpr Fault kNoPlan{404, "no_plan", "The task was not planned first."};
constexpr std::array kPlanFaults = {kNoPlan};
constexpr std::array kChangePlanFaults = {kNoPlan,
                                          Fault{412, "changed", "The plan is not the one that If-Match names."}};

}  // namespace

std::vector<Route> look_routes()
{
    using engine::Act;
    return {
        typed({.path = "/tasks/{task_id}/history",
               .name = "history",
               .doc = "What was said and done, step by step.",
               .requirements = "API-20"},
              history),
        typed({.path = "/tasks/{task_id}/plan",
               .name = "get_plan",
               .doc = "The plan of a task that was planned first.",
               .faults = kPlanFaults,
               .requirements = "API-21"},
              plan),
        typed({.method = Method::post,
               .path = "/tasks/{task_id}/plan",
               .name = "change_plan",
               .doc = "Replaces what of the plan has not begun.",
               .act = Act::change,
               .rate = RateClass::write,
               .faults = kChangePlanFaults,
               .requirements = "API-22"},
              change_plan),
        typed({.path = "/tasks/{task_id}/metrics",
               .name = "task_metrics",
               .doc = "Figures of a task.",
               .requirements = "API-25"},
              performance),
        typed({.path = "/tasks/{task_id}/trace", .name = "trace", .doc = "Who did what, when and for how long."},
              trace),
        typed({.path = "/tasks/{task_id}/tree", .name = "tree", .doc = "A task and all tasks below it."}, tree),
        typed({.path = "/tasks/{task_id}/checkpoints", .name = "checkpoints", .doc = "Where a task can be forked."},
              checkpoints),
        typed({.path = "/tasks/{task_id}/verify",
               .name = "verify",
               .doc = "Whether the journal of a task is intact.",
               .rate = RateClass::heavy},
              verify),
        typed({.path = "/tasks/{task_id}/replay",
               .name = "replay",
               .doc = "Runs a task against its own journal, with nothing performed.",
               .rate = RateClass::heavy},
              replay),
    };
}

}  // namespace cadre::server
