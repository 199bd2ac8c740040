#include "server/views.hpp"

#include "base/async.hpp"
#include "base/race.hpp"
#include "base/timeout.hpp"
#include "engine/index_detail.hpp"
#include "engine/plan_edit.hpp"
#include "engine/plan_view.hpp"
#include "home/home_owner.hpp"
#include "model/describe.hpp"
#include "model/wire_name.hpp"
#include "server/call.hpp"
#include "server/service.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::server {
namespace {

using model::Entity;
using model::field;
using model::Home;

template <class T>
std::optional<T> unless_empty(T value)
{
    if (value.empty()) return std::nullopt;
    return value;
}

/// Until the server is about to leave: who waits is answered then.
Async<> until_draining(Service& service)
{
    while (!service.draining) co_await service.drained.wait();
}

}  // namespace

Async<> wait_for_rest(Service& service, Id task, Millis patience)
{
    Race race(co_await this_context());
    race.add(service.home.runtime().host().until_resting(task, true));
    race.add(until_draining(service));
    race.add(sleep_for(patience));
    co_await race.over();
}

const Entity& describe(const UsageView*)
{
    static const Entity entity{
        .name = "usage_view",
        .doc = "What a run has used.",
        .fields = {field("model_calls", &UsageView::model_calls, "Calls of models."),
                   field("tool_calls", &UsageView::tool_calls, "Calls of tools."),
                   field("input_tokens", &UsageView::input_tokens, "Tokens that models were sent."),
                   field("output_tokens", &UsageView::output_tokens, "Tokens that models wrote."),
                   field("cost_usd", &UsageView::cost_usd, "What that cost, in US dollars.")},
        .home = {Home::Kind::message}};
    return entity;
}

const Entity& describe(const QuestionView*)
{
    static const Entity entity{
        .name = "question_view",
        .doc = "What a person is asked, and how it can be answered.",
        .fields = {field("request_id", &QuestionView::request_id, "For the answer."),
                   field("task_id", &QuestionView::task_id, "The task that waits for it."),
                   field("request_type", &QuestionView::request_type, "What kind of question it is."),
                   field("agent_name", &QuestionView::agent_name, "Who asks."),
                   field("context", &QuestionView::context,
                         "All that is known of it: the tool, its arguments, the question."),
                   field("timeout", &QuestionView::timeout,
                         "Seconds until it is decided without a person; null: never."),
                   field("asked_at", &QuestionView::asked_at, "When it was asked."),
                   field("due_at", &QuestionView::due_at, "When it is decided without a person; null: never."),
                   field("verbs", &QuestionView::verbs, "How it can be answered: `response_type` of the answer.")},
        .home = {Home::Kind::message}};
    return entity;
}

QuestionView question_view(const engine::OpenQuestion& question, const Id& task)
{
    const model::HumanRequest& request = question.request;
    QuestionView view{.request_id = request.id,
                      .task_id = to_string(task),
                      .request_type = request.type,
                      .agent_name = request.agent,
                      .context = request.context,
                      .asked_at = question.asked_at,
                      .due_at = question.due};
    if (request.timeout_ms) view.timeout = *request.timeout_ms / 1000;
    for (const model::EnumName& verb : model::names_of(static_cast<const model::HumanVerb*>(nullptr))) {
        const auto one = static_cast<model::HumanVerb>(verb.value);
        const std::string word(model::participle(one));
        if (one != model::HumanVerb::timeout && model::suits(request.type, one) &&
            std::ranges::find(view.verbs, word) == view.verbs.end())  // each is named in two ways
            view.verbs.push_back(word);
    }
    return view;
}

const Entity& describe(const TaskExtras*)
{
    static const Entity entity{
        .name = "task_extras",
        .doc = "What else is known of a task.",
        .fields = {field("pattern", &TaskExtras::pattern, "How it is worked on: react@1, team@1, graph@1, …"),
                   field("session_id", &TaskExtras::session_id, "The conversation that it is a turn of."),
                   field("created_by", &TaskExtras::created_by, "Who asked for it."),
                   field("kind", &TaskExtras::kind, "For choosing how long it is kept."),
                   field("metadata", &TaskExtras::metadata, "What its creator has put there."),
                   field("queued", &TaskExtras::queued, "It waits for earlier turns of its session."),
                   field("questions", &TaskExtras::questions,
                         "What people are asked right now, by the task and by those below it."),
                   field("breakpoints", &TaskExtras::breakpoints, "Where it stops."),
                   field("usage", &TaskExtras::usage, "What it has used so far."),
                   field("budget", &TaskExtras::budget, "What it may use."),
                   field("seq", &TaskExtras::seq, "Records in its journal; also its ETag."),
                   field("last_event", &TaskExtras::last_event, "The number of its last event.")},
        .home = {Home::Kind::message}};
    return entity;
}

const Entity& describe(const TaskView*)
{
    static const Entity entity{
        .name = "task_view",
        .doc = "A task as it is now.",
        .fields =
            {field("id", &TaskView::id, "Its id."), field("description", &TaskView::description, "What is to be done."),
             field("status", &TaskView::status, "What it is doing."),
             field("assigned_agent", &TaskView::assigned_agent, "Who is in charge."),
             field("result", &TaskView::result, "What it answered."),
             field("error", &TaskView::error, "Why it failed."),
             field("created_at", &TaskView::created_at, "When it was created."),
             field("started_at", &TaskView::started_at, "When it first ran."),
             field("completed_at", &TaskView::completed_at, "When it ended."),
             field("retention_days", &TaskView::retention_days, "Days that its trace is kept; null: by its kind."),
             field("parent_task_id", &TaskView::parent_task_id, "The task that it is a part of."),
             field("execution_mode", &TaskView::execution_mode, "How it is run."),
             field("pause_reason", &TaskView::pause_reason, "Why it is paused."),
             field("pause_text", &TaskView::pause_text, "The same in words."),
             field("plan_progress", &TaskView::plan_progress, "How far its plan is; null: it was not planned first."),
             field("ext", &TaskView::ext, "What else is known of it.")},
        .home = {Home::Kind::message}};
    return entity;
}

TaskView task_view(const engine::TaskState& state)
{
    const engine::Work work = state.own_work();
    TaskView view{.id = to_string(state.id),
                  .description = state.spec.description,
                  .status = state.status,
                  .assigned_agent = state.spec.agent,
                  .error = unless_empty(state.error),
                  .created_at = state.created_at,
                  .started_at = state.started_at,
                  .completed_at = state.completed_at,
                  .retention_days = state.spec.retention_days,
                  .parent_task_id = state.spec.parent,
                  .execution_mode = state.spec.mode,
                  .pause_reason = state.pause_reason,
                  .pause_text = unless_empty(state.pause_text)};
    if (state.reply) view.result = state.reply->text;
    view.ext = {.pattern = state.spec.pattern,
                .session_id = state.spec.session,
                .created_by = state.spec.created_by,
                .kind = state.spec.kind,
                .metadata = state.spec.metadata,
                .queued = engine::is_queued(state),
                .breakpoints = state.breakpoints,
                .usage = {.model_calls = work.steps,
                          .tool_calls = work.calls,
                          .input_tokens = work.usage.input,
                          .output_tokens = work.usage.output,
                          .cost_usd = work.usage.cost},
                .budget = state.budget,
                .seq = state.end.seq,
                .last_event = state.end.event_seq};
    return view;
}

std::vector<QuestionView> questions_of(const std::vector<std::shared_ptr<const engine::TaskState>>& tree)
{
    std::vector<QuestionView> all;
    for (const auto& state : tree)
        for (const engine::OpenQuestion& question : state->questions) all.push_back(question_view(question, state->id));
    return all;
}

Async<TaskView> view_now(Call& call, Id task)
{
    Service& service = call.service();
    engine::Queries& queries = service.home.runtime().queries();
    call.let_others();
    if (const Millis patience = call.patience(); patience > Millis(0)) {
        co_await queries.expect(call.by(), engine::Act::read, task);
        co_await wait_for_rest(service, task, patience);
        call.add_header("Preference-Applied", fmt::format("wait={}", patience.count() / 1000));
    }
    const auto state = co_await queries.task(call.by(), task);
    TaskView view = task_view(*state);
    view.ext.questions = questions_of(co_await queries.open_tree(call.by(), task));
    if (engine::is_planned(state->spec))
        view.plan_progress = progress_of(engine::plan_in(co_await queries.records(call.by(), task)));
    call.add_header("ETag", tag_of(*state));
    co_return view;
}

const Entity& describe(const TaskSummary*)
{
    static const Entity entity{
        .name = "task_summary",
        .doc = "A task in a list.",
        .fields = {field("id", &TaskSummary::id, "Its id."),
                   field("title", &TaskSummary::title, "The first words of what is to be done."),
                   field("status", &TaskSummary::status, "What it is doing."),
                   field("assigned_agent", &TaskSummary::assigned_agent, "Who is in charge."),
                   field("created_at", &TaskSummary::created_at, "When it was created."),
                   field("updated_at", &TaskSummary::updated_at, "When something last happened to it."),
                   field("due_at", &TaskSummary::due_at, "When something happens by itself."),
                   field("session_id", &TaskSummary::session_id, "The conversation that it is a turn of."),
                   field("parent_task_id", &TaskSummary::parent_task_id, "The task that it is a part of."),
                   field("created_by", &TaskSummary::created_by, "Who asked for it."),
                   field("error", &TaskSummary::error, "Why it failed."),
                   field("pause_reason", &TaskSummary::pause_reason, "Why it is paused."),
                   field("questions", &TaskSummary::questions, "How many questions to people are open."),
                   field("purged_at", &TaskSummary::purged_at, "Since then only this is left of it.")},
        .home = {Home::Kind::message}};
    return entity;
}

TaskSummary task_summary(const storage::TaskEntry& entry)
{
    const engine::IndexDetail detail = engine::detail_of(entry);
    return {.id = to_string(entry.task),
            .title = entry.title,
            .status = entry.status,
            .assigned_agent = entry.agent,
            .created_at = entry.created_at,
            .updated_at = entry.updated_at,
            .due_at = entry.due,
            .session_id = unless_empty(entry.session),
            .parent_task_id = unless_empty(entry.parent),
            .created_by = entry.created_by,
            .error = unless_empty(detail.error),
            .pause_reason = unless_empty(detail.pause),
            .questions = detail.questions.size(),
            .purged_at = detail.purged_at};
}

std::string tag_of(const engine::TaskState& state)
{
    return fmt::format("\"{}\"", state.end.seq);
}

}  // namespace cadre::server
