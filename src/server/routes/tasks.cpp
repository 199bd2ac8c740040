// Tasks: made, listed, driven, stopped, removed.
#include "base/async.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "base/sha256.hpp"
#include "engine/index_detail.hpp"
#include "home/home_owner.hpp"
#include "home/project/prepare_task.hpp"
#include "home/project/project.hpp"
#include "model/describe.hpp"
#include "model/views/agentx_requests.hpp"
#include "model/wire_name.hpp"
#include "server/call.hpp"
#include "server/page.hpp"
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
using model::TaskStatus;

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

// ---- create ----

/// POST /tasks: what document 004 asks for, and what else can be said.
struct NewTask {
    std::optional<std::string> description{};
    std::optional<std::string> initial_prompt{};  // another name for it
    std::optional<std::string> team{};
    std::optional<std::string> workflow{};
    std::optional<std::string> agent{};
    std::optional<std::string> pattern{};
    std::optional<model::ExecutionMode> execution_mode{};
    std::optional<std::string> model{};
    std::optional<engine::Budget> budget{};
    std::optional<std::string> kind{};
    std::optional<int> retention_days{};
    std::optional<std::string> session_id{};
    std::string if_busy = "enqueue";
    boost::json::object input{};
    boost::json::object metadata{};
    bool start = false;
};

const Entity& describe(const NewTask*)
{
    static const Entity entity{
        .name = "new_task",
        .doc = "Asks for a task; it waits until it is started, unless `start` is true.",
        .fields = {field("description", &NewTask::description, "What is to be done.", {.min_length = 1}),
                   field("initial_prompt", &NewTask::initial_prompt, "The same, under its other name.",
                         {.min_length = 1}),
                   field("team", &NewTask::team, "The team that does it; null: the project's.", {.min_length = 1}),
                   field("workflow", &NewTask::workflow, "The workflow that it follows.", {.min_length = 1}),
                   field("agent", &NewTask::agent, "The agent that does it, or begins.", {.min_length = 1}),
                   field("pattern", &NewTask::pattern, "How the team works together: one of its patterns, or `plan`.",
                         {.min_length = 1}),
                   field("execution_mode", &NewTask::execution_mode, "How it is run; null: as the team says."),
                   field("model", &NewTask::model, "provider/model, in place of what the team says.",
                         {.min_length = 1}),
                   field("budget", &NewTask::budget, "What it may use; null: as the team says."),
                   field("kind", &NewTask::kind, "For choosing how long it is kept.", {.min_length = 1}),
                   field("retention_days", &NewTask::retention_days, "Days that its trace is kept; null: by kind.",
                         {.min = 0}),
                   field("session_id", &NewTask::session_id, "The conversation that it is the next turn of.",
                         {.min_length = 1}),
                   field("if_busy", &NewTask::if_busy,
                         "While a turn of the session has not ended: `enqueue` waits for it, `reject` answers 409."),
                   field("input", &NewTask::input, "Of a workflow: fields of the state that it begins with."),
                   field("metadata", &NewTask::metadata, "Anything else; it is kept and shown."),
                   field("start", &NewTask::start, "Begin at once.")},
        .home = {Home::Kind::message, "the body of `POST /tasks`"},
        .demands = {{.when = {!model::given("initial_prompt")},
                     .then = model::given("description"),
                     .says = "is required; or say it as initial_prompt"}}};
    return entity;
}

/// One key, one task: the id follows from who asks and the key, so that a second request finds the first one's task, over restarts too.
Id id_for(Call& call)
{
    constexpr std::size_t kLongestKey = 128;
    const std::string_view key = call.header("Idempotency-Key");
    if (key.empty()) return new_id(system_random());
    if (key.size() > kLongestKey || std::ranges::any_of(key, [](char c) { return c < '!' || c > '~'; }))
        throw net::HttpRefusal(400, Code::malformed, "the Idempotency-Key must be 1 to 128 visible ASCII characters");
    const Hash hash = sha256(fmt::format("task\n{}\n{}\n{}", call.by().tenant, call.by().subject, key));
    Id id;
    std::copy_n(hash.begin(), id.bytes.size(), id.bytes.begin());
    id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0F) | 0x40);  // version 4, as all ids
    id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3F) | 0x80);
    return id;
}

home::RunRequest wanted_by(const NewTask& body)
{
    home::RunRequest wanted{.file = body.team,
                            .workflow = body.workflow,
                            .agent = body.agent,
                            .pattern = body.pattern,
                            .model = body.model,
                            .kind = body.kind,
                            .prompt = body.description ? *body.description : body.initial_prompt.value(),
                            .by_name = true};
    if (body.execution_mode) wanted.mode = std::string(model::wire_name(*body.execution_mode));
    if (body.retention_days) wanted.retention_days = std::to_string(*body.retention_days);
    for (const auto& member : body.input)
        wanted.input.push_back(fmt::format("{}={}", std::string_view(member.key()), to_text(member.value())));
    return wanted;
}

/// A model that is a file of this machine is for who sits at it.
void expect_remote_model(const NewTask& body)
{
    if (!body.model || body.model->find('/') != std::string::npos) return;
    model::Problems problems;
    problems.add(model::Path({}, "model"), "is not provider/model");
    throw BadRequest(std::move(problems));
}

/// Who has nothing to say but words goes on as the session was.
bool is_another_turn(const NewTask& body)
{
    return body.session_id && !body.team && !body.workflow && !body.agent && !body.pattern;
}

Async<engine::CreateTask> prepared(Call& call, const NewTask& body)
{
    home::Runtime& home = runtime(call);
    const auto project = home.projects().open(home.place().folder);
    const home::RunRequest wanted = wanted_by(body);
    engine::CreateTask task;
    const bool goes_on = is_another_turn(body) && co_await home.queries().find_session(call.by(), *body.session_id);
    if (goes_on) {
        home::expect_prompt(wanted.prompt);
        task = home::another_turn(*project, wanted);
        task.description = wanted.prompt;
    } else {
        task = home::prepare(project, wanted).task;
    }
    if (body.budget) task.budget = home::merged(task.budget, *body.budget);
    task.metadata = body.metadata;
    task.session = body.session_id.value_or("");
    task.start = body.start;
    task.queue = body.if_busy != "reject";
    co_return task;
}

void expect_same(const engine::TaskSpec& made, const engine::CreateTask& now)
{
    if (made.description == now.description && made.metadata == now.metadata && made.kind == now.kind &&
        made.session.value_or("") == now.session && made.pending == !now.start)
        return;
    throw Refusal(422, Code::invalid, "idempotency_key_reused", "the Idempotency-Key was used for another task");
}

Async<TaskView> create(Call& call, NewTask body)
{
    expect_remote_model(body);
    if (body.if_busy != "enqueue" && body.if_busy != "reject") {
        model::Problems problems;
        problems.add(model::Path({}, "if_busy"), R"(is "enqueue" or "reject")");
        throw BadRequest(std::move(problems));
    }
    const Id id = id_for(call);
    engine::CreateTask task = co_await prepared(call, body);
    task.id = id;
    const auto before = co_await runtime(call).store().find_task(id);
    if (before) {
        expect_same((co_await runtime(call).queries().task(call.by(), id))->spec, task);
        call.set_status(200);
        call.add_header("Idempotency-Replayed", "true");
    } else {
        try {
            co_await call.service().home.perform(call.by(), home::Create{.task = std::move(task)});
        } catch (const Error& error) {
            if (error.code() == Code::conflict && body.session_id)
                throw Refusal(409, Code::conflict, "session_busy", error.what());
            if (error.code() == Code::rate_limited) throw Refusal(429, Code::rate_limited, "queue_full", error.what());
            throw;
        }
    }
    call.add_header("Location", "/tasks/" + to_string(id));
    co_return co_await view_now(call, id);
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

/// What no index answers is looked for, but not for ever: then the cursor leads on from there.
constexpr std::size_t kMostScanned = 5'000;

Async<TaskPage> list(Call& call, ListQuery query)
{
    const std::string cursor = query.cursor.value_or("");
    query.cursor.reset();
    const std::string filter = model::to_json_text(query);
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
    const auto state = co_await state_of(call);
    expect_paused(*state);
    co_await call.service().home.perform(call.by(), home::Resume{.task = state->id, .steps = body.steps});
    co_return co_await view_now(call, state->id);
}

Async<TaskView> continue_freely(Call& call)
{
    const auto state = co_await state_of(call);
    expect_not_waiting(*state);
    co_await call.service().home.perform(call.by(), home::Resume{.task = state->id, .freely = true});
    co_return co_await view_now(call, state->id);
}

Async<TaskView> intervene(Call& call, model::agentx::Intervene body)
{
    const auto state = co_await state_of(call);
    if (state->finished()) refuse_ended(*state);
    if (body.intervention_type != model::InterventionType::instruction)
        co_await runtime(call).queries().expect(call.by(), engine::Act::change, state->id);
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

/// Document 004's way to cancel. What has ended stays as long as the retention policy keeps it.
Async<TaskView> remove(Call& call, CancelTask query)
{
    const auto state = co_await state_of(call);
    if (state->finished()) refuse_ended(*state);
    co_return co_await cancel(call, std::move(query));
}

constexpr Fault kEnded{409, "ended", "The task has ended."};
constexpr Fault kWaiting{409, "waiting", "The task waits for a person; `requests` says for what."};
constexpr std::array kCreateFaults = {
    Fault{409, "session_busy", "A turn of the session has not ended, and `if_busy` is reject."},
    Fault{422, "idempotency_key_reused", "The key was used for another body."},
    Fault{429, "queue_full", "Too many turns of the session wait."}};
constexpr std::array kListFaults = {Fault{400, "bad_cursor", "The cursor is not one of this list."}};
constexpr std::array kStartFaults = {Fault{409, "already_started", "It was started before."}};
constexpr std::array kEndedFaults = {kEnded};
constexpr std::array kResumeFaults = {kEnded, kWaiting};
constexpr std::array kStepFaults = {kEnded, kWaiting, Fault{409, "not_paused", "The task runs."}};

}  // namespace

std::vector<Route> task_routes()
{
    using engine::Act;
    return {
        typed({.method = Method::post,
               .path = "/tasks",
               .name = "create_task",
               .doc = "Creates a task.",
               .act = Act::work,
               .rate = RateClass::create,
               .shed = Shed::creating,
               .success = 201,
               .faults = kCreateFaults,
               .requirements = "API-02"},
              create),
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
               .doc = "Stops a task after what is under way; it can be resumed.",
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
               .doc = "Cancels a task.",
               .act = Act::work,
               .rate = RateClass::exempt,
               .shed = Shed::never,
               .success = 202,
               .faults = kEndedFaults,
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
               .faults = kEndedFaults,
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
