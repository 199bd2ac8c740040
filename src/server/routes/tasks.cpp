// Tasks: listed, driven, stopped.
#include "base/async.hpp"
#include "home/home_owner.hpp"
#include "model/describe.hpp"
#include "model/views/agentx_requests.hpp"
#include "model/wire_name.hpp"
#include "server/call.hpp"
#include "server/deed.hpp"
#include "server/page.hpp"
#include "server/routes/routes.hpp"
#include "server/sent_teams.hpp"
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
using model::TaskStatus;
using storage::RecordKind;

home::Runtime& runtime(Call& call)
{
    return call.service().home.runtime();
}

Async<std::shared_ptr<const engine::TaskState>> state_of(Call& call)
{
    co_return co_await runtime(call).queries().task(call.by(), call.task());
}

[[noreturn]] void refuse_ended(const engine::TaskState& state)
{
    throw Refusal(409, Code::conflict, "ended",
                  fmt::format("task {} has ended: it is {}", to_string(state.id), model::wire_name(state.status)));
}

Async<TaskView> get(Call& call)
{
    co_return co_await view_now(call, call.task());
}

// ---- list ----

struct ListQuery {
    std::vector<std::string> status{};
    std::optional<std::string> agent{};
    std::optional<std::string> session_id{};
    std::optional<std::string> parent_task_id{};
    std::optional<std::string> created_by{};
    std::optional<Time> created_after{};
    std::optional<Time> created_before{};
    std::optional<std::string> q{};
    int limit = 50;
    std::optional<std::string> cursor{};
};

const Entity& describe(const ListQuery*)
{
    static const Entity entity{
        .name = "list_query",
        .doc = "What a list of tasks is narrowed by.",
        .fields = {field("status", &ListQuery::status, "One of these statuses; may be given several times."),
                   field("agent", &ListQuery::agent, "Who is in charge."),
                   field("session_id", &ListQuery::session_id, "Turns of this conversation."),
                   field("parent_task_id", &ListQuery::parent_task_id, "Parts of this task."),
                   field("created_by", &ListQuery::created_by, "Who asked for it."),
                   field("created_after", &ListQuery::created_after, "Created later than that."),
                   field("created_before", &ListQuery::created_before, "Created earlier than that."),
                   field("q", &ListQuery::q, "Words of the title."),
                   field("limit", &ListQuery::limit, "How many at most.", {.min = 1, .max = double(kMostOfPage)}),
                   field("cursor", &ListQuery::cursor, "`next_cursor` of the page before.")},
        .home = {Home::Kind::message}};
    return entity;
}

struct TaskPage {
    std::vector<TaskSummary> tasks{};
    std::optional<std::string> next_cursor{};
};

const Entity& describe(const TaskPage*)
{
    static const Entity entity{
        .name = "task_page",
        .doc = "Tasks, the newest first.",
        .fields = {field("tasks", &TaskPage::tasks, "A page of them."),
                   field("next_cursor", &TaskPage::next_cursor, "For the next page; null: this was the last one.")},
        .home = {Home::Kind::message}};
    return entity;
}

bool fits(const storage::TaskEntry& entry, const ListQuery& query)
{
    return (!query.agent || entry.agent == *query.agent) &&
           (!query.created_after || entry.created_at > *query.created_after) &&
           (!query.created_before || entry.created_at < *query.created_before) &&
           (!query.q || entry.title.find(*query.q) != std::string::npos);
}

void expect_statuses(const std::vector<std::string>& given)
{
    const auto names = model::names_of(static_cast<const TaskStatus*>(nullptr));
    model::Problems problems;
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (std::ranges::find(names, given[i], &model::EnumName::name) != names.end()) continue;
        std::string all;
        for (const model::EnumName& one : names) all += (all.empty() ? "" : ", ") + std::string(one.name);
        problems.add(model::Path({}, "status"), in_quotes(given[i]) + " is not a status; these are: " + all);
    }
    if (!problems.empty()) throw BadRequest(std::move(problems));
}

/// What no index answers is looked for, but not for ever: then the cursor leads on from there.
constexpr std::size_t kMostScanned = 5'000;

Async<TaskPage> list(Call& call, ListQuery query)
{
    const std::string cursor = query.cursor.value_or("");
    query.cursor.reset();
    expect_statuses(query.status);
    const std::string filter = call.by().tenant + "\n" + model::to_json_text(query);
    storage::TaskQuery wanted{.statuses = query.status,
                              .session = query.session_id.value_or(""),
                              .parent = query.parent_task_id.value_or(""),
                              .created_by = query.created_by.value_or(""),
                              .limit = kMostOfPage};
    if (!cursor.empty()) wanted.before = cursor_from(cursor, filter, call.service().secret);

    TaskPage page;
    const auto limit = static_cast<std::size_t>(query.limit);
    for (std::size_t scanned = 0; page.tasks.size() < limit;) {
        const auto entries = co_await runtime(call).queries().tasks(call.by(), wanted);
        for (const storage::TaskEntry& entry : entries) {
            wanted.before = storage::TaskCursor{entry.created_at, entry.task};
            if (fits(entry, query)) page.tasks.push_back(task_summary(entry));
            if (page.tasks.size() == limit) break;
        }
        scanned += entries.size();
        const bool is_last =
            entries.size() < wanted.limit && (entries.empty() || wanted.before->task == entries.back().task);
        if (is_last) co_return page;
        if (scanned >= kMostScanned) break;
    }
    page.next_cursor = cursor_text(*wanted.before, filter, call.service().secret);
    co_return page;
}

// ---- driving ----

Async<TaskView> start(Call& call)
{
    const auto state = co_await state_of(call);
    if (!engine::is_pending(*state) && call.cut_off_at()) co_return co_await view_now(call, state->id);
    if (!engine::is_pending(*state))
        throw Refusal(
            409, Code::conflict, "already_started",
            fmt::format("task {} was started: it is {}", to_string(state->id), model::wire_name(state->status)));
    co_await call.service().home.perform(call.by(), home::Start{.task = state->id});
    co_return co_await view_now(call, state->id);
}

Async<TaskView> pause(Call& call)
{
    const auto state = co_await state_of(call);
    if (state->finished()) refuse_ended(*state);
    if (state->status != TaskStatus::paused)
        co_await call.service().home.perform(call.by(), home::Pause{.task = state->id});
    co_return co_await view_now(call, state->id);
}

/// What a task that continues may use from then on.
struct ResumeTask {
    std::optional<engine::Budget> budget{};
};

const Entity& describe(const ResumeTask*)
{
    static const Entity entity{
        .name = "resume_task",
        .doc = "Lets a task continue.",
        .fields = {field("budget", &ResumeTask::budget, "The pieces of its budget that change.")},
        .home = {Home::Kind::message}};
    return entity;
}

/// A task that waits for a person does so until that person answers.
void expect_not_waiting(const engine::TaskState& state)
{
    if (state.finished()) refuse_ended(state);
    if (state.status != TaskStatus::waiting) return;
    boost::json::array questions;
    for (const engine::OpenQuestion& question : state.questions)
        questions.push_back(model::to_json_value(question_view(question, state.id)));
    throw Refusal(409, Code::conflict, "waiting", "the task waits for a person's answer",
                  {{"requests", std::move(questions)}});
}

Async<TaskView> resume(Call& call, ResumeTask body)
{
    if (co_await was_written(call, RecordKind::resume)) co_return co_await view_now(call, call.task());
    const auto state = co_await state_of(call);
    expect_not_waiting(*state);
    if (body.budget) co_await runtime(call).queries().expect(call.by(), engine::Act::change, state->id);
    if (state->status == TaskStatus::paused || body.budget)
        co_await call.service().home.perform(call.by(), home::Resume{.task = state->id, .budget = body.budget});
    co_return co_await view_now(call, state->id);
}

struct StepTask {
    int steps = 1;
};

const Entity& describe(const StepTask*)
{
    static const Entity entity{
        .name = "step_task",
        .doc = "Lets a task take some steps.",
        .fields = {field("steps", &StepTask::steps, "Model and tool calls, then it pauses.", {.min = 1, .max = 1000})},
        .home = {Home::Kind::message}};
    return entity;
}

void expect_paused(const engine::TaskState& state)
{
    expect_not_waiting(state);
    if (state.status != TaskStatus::paused)
        throw Refusal(409, Code::conflict, "not_paused",
                      fmt::format("the task is not paused: it is {}", model::wire_name(state.status)));
}

Async<TaskView> step(Call& call, StepTask body)
{
    if (co_await was_written(call, RecordKind::resume)) co_return co_await view_now(call, call.task());
    const auto state = co_await state_of(call);
    expect_paused(*state);
    co_await call.service().home.perform(call.by(), home::Resume{.task = state->id, .steps = body.steps});
    co_return co_await view_now(call, state->id);
}

Async<TaskView> continue_freely(Call& call)
{
    if (co_await was_written(call, RecordKind::resume)) co_return co_await view_now(call, call.task());
    const auto state = co_await state_of(call);
    expect_not_waiting(*state);
    co_await call.service().home.perform(call.by(), home::Resume{.task = state->id, .freely = true});
    co_return co_await view_now(call, state->id);
}

Async<TaskView> intervene(Call& call, model::agentx::Intervene body)
{
    const bool instructs = body.intervention_type == model::InterventionType::instruction;
    if (co_await was_written(call, instructs ? RecordKind::instruction : RecordKind::setting))
        co_return co_await view_now(call, call.task());
    const auto state = co_await state_of(call);
    if (state->finished()) refuse_ended(*state);
    if (!instructs) co_await runtime(call).queries().expect(call.by(), engine::Act::change, state->id);
    if (const auto* team = body.details.if_contains("team")) expect_harmless(*team);
    co_await call.service().home.perform(call.by(), home::Intervene{.task = state->id,
                                                                    .type = body.intervention_type,
                                                                    .instruction = body.instruction.value_or(""),
                                                                    .details = std::move(body.details)});
    co_return co_await view_now(call, state->id);
}

struct CancelTask {
    std::string reason{};
};

const Entity& describe(const CancelTask*)
{
    static const Entity entity{
        .name = "cancel_task",
        .doc = "Stops a task for good.",
        .fields = {field("reason", &CancelTask::reason, "Why; it is recorded.", {.max_length = 1000})},
        .home = {Home::Kind::message}};
    return entity;
}

Async<TaskView> cancel(Call& call, CancelTask body)
{
    const Id task = call.task();
    co_await call.service().home.perform(call.by(), home::Cancel{.task = task, .reason = std::move(body.reason)});
    co_return co_await view_now(call, task);
}

/// Document 004's way to cancel, and to remove what has ended. Under one Idempotency-Key it does one of them: who asks again
/// because the first answer was lost does not remove what was only to be cancelled.
Async<TaskView> remove(Call& call, CancelTask query)
{
    const Id task = call.task();
    const bool had_records = call.cut_off_at().value_or(0) > 0;
    if (had_records && !co_await runtime(call).store().find_task(task)) {
        call.set_status(204);
        co_return TaskView{};
    }
    const auto state = co_await state_of(call);
    if (co_await was_written(call, RecordKind::cancel)) co_return co_await view_now(call, task);
    if (!state->finished()) co_return co_await cancel(call, std::move(query));
    const auto above = state->spec.parent ? find_id(*state->spec.parent) : std::nullopt;
    if (above && co_await runtime(call).store().find_task(*above))
        throw Refusal(409, Code::conflict, "part_of", "the task is a part of another one, and goes with it",
                      {{"task", to_string(*above)}});
    co_await call.service().home.perform(call.by(), home::Remove{.task = task});
    call.set_status(204);
    co_return TaskView{};
}

constexpr Fault kEnded{409, "ended", "The task has ended."};
constexpr Fault kWaiting{409, "waiting", "The task waits for a person; `requests` says for what."};
constexpr std::array kListFaults = {Fault{400, "bad_cursor", "The cursor is not one of this list."}};
constexpr std::array kStartFaults = {Fault{409, "already_started", "It was started before."}};
constexpr std::array kEndedFaults = {kEnded};
constexpr std::array kDeleteFaults = {
    Fault{409, "part_of", "It is a part of the task that `task` names, and goes with it."}};
constexpr std::array kInterveneFaults = {
    kEnded, Fault{403, "operator_only", "The team names a program, an address, a file, a key or a variable."}};
constexpr std::array kResumeFaults = {kEnded, kWaiting};
constexpr std::array kStepFaults = {kEnded, kWaiting, Fault{409, "not_paused", "The task runs."}};

}  // namespace

std::vector<Route> task_routes()
{
    using engine::Act;
    return {
        typed({.path = "/tasks", .name = "list_tasks", .doc = "Lists tasks, the newest first.", .faults = kListFaults},
              list),
        typed({.path = "/tasks/{task_id}", .name = "get_task", .doc = "A task as it is now.", .requirements = "API-03"},
              get),
        typed({.method = Method::post,
               .path = "/tasks/{task_id}/start",
               .name = "start_task",
               .doc = "Lets a task begin.",
               .act = Act::work,
               .rate = RateClass::write,
               .faults = kStartFaults,
               .requirements = "API-04"},
              start),
        typed({.method = Method::post,
               .path = "/tasks/{task_id}/pause",
               .name = "pause_task",
               .doc = "Stops a task after its current step; it can be resumed.",
               .act = Act::work,
               .rate = RateClass::write,
               .faults = kEndedFaults,
               .requirements = "API-05"},
              pause),
        typed({.method = Method::post,
               .path = "/tasks/{task_id}/resume",
               .name = "resume_task",
               .doc = "Lets a task continue.",
               .act = Act::work,
               .rate = RateClass::write,
               .faults = kResumeFaults,
               .requirements = "API-06"},
              resume),
        typed({.method = Method::del,
               .path = "/tasks/{task_id}",
               .name = "delete_task",
               .doc = "Cancels a task; one that has ended is removed, with all below it.",
               .act = Act::work,
               .rate = RateClass::exempt,
               .shed = Shed::never,
               .success = 202,
               .nothing = "The task had ended, and is removed.",
               .faults = kDeleteFaults,
               .requirements = "API-07"},
              remove),
        typed({.method = Method::post,
               .path = "/tasks/{task_id}/step",
               .name = "step_task",
               .doc = "Lets a paused task take some steps.",
               .act = Act::work,
               .rate = RateClass::write,
               .faults = kStepFaults,
               .requirements = "API-08"},
              step),
        typed({.method = Method::post,
               .path = "/tasks/{task_id}/continue",
               .name = "continue_task",
               .doc = "Lets a task run to its next breakpoint, question or end.",
               .act = Act::work,
               .rate = RateClass::write,
               .faults = kResumeFaults,
               .requirements = "API-09"},
              continue_freely),
        typed({.method = Method::post,
               .path = "/tasks/{task_id}/intervene",
               .name = "intervene",
               .doc = "Changes the course of a task: an instruction, another plan, another agent, another team.",
               .act = Act::work,
               .rate = RateClass::write,
               .success = 202,
               .faults = kInterveneFaults,
               .requirements = "API-10"},
              intervene),
        typed({.method = Method::post,
               .path = "/tasks/{task_id}/cancel",
               .name = "cancel_task",
               .doc = "Stops a task for good; one that has ended stays as it is.",
               .act = Act::work,
               .rate = RateClass::exempt,
               .shed = Shed::never},
              cancel),
    };
}

}  // namespace cadre::server
