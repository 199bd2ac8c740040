// POST /tasks: a task out of what a client asks for.
#include "base/async.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "base/sha256.hpp"
#include "home/home_owner.hpp"
#include "home/project/prepare_task.hpp"
#include "home/project/project.hpp"
#include "model/describe.hpp"
#include "model/wire_name.hpp"
#include "server/call.hpp"
#include "server/deed.hpp"
#include "server/routes/routes.hpp"
#include "server/sent_teams.hpp"
#include "server/service.hpp"
#include "server/task_spans.hpp"
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
    return id_from_hash(sha256(fmt::format("task\n{}\n{}\n{}", call.by().tenant, call.by().subject, key)));
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

/// Who has nothing to say but words goes on as the session was.
bool is_another_turn(const NewTask& body)
{
    return body.session_id && !body.team && !body.workflow && !body.agent && !body.pattern;
}

/// Whoever may not change budgets may ask for less than the project gives, and not for more.
engine::Budget budget_for(const engine::Principal& by, const engine::Budget& given, const engine::Budget& wanted)
{
    const auto is_more = [](const auto& most, const auto& one) { return most && one && *one > *most; };
    const bool more = is_more(given.tokens, wanted.tokens) || is_more(given.cost, wanted.cost) ||
                      is_more(given.steps, wanted.steps) || is_more(given.wall_ms, wanted.wall_ms) ||
                      is_more(given.depth, wanted.depth) || is_more(given.iterations, wanted.iterations);
    if (more && engine::reach_of(by, engine::Act::change) == engine::Reach::none)
        throw Refusal(403, Code::forbidden, "over_budget",
                      "more than the project's budget needs the right to change budgets");
    return home::merged(given, wanted);
}

bool is_unknown(const std::shared_ptr<const home::Project>& project, const home::RunRequest& wanted)
{
    try {
        home::prepare(project, wanted);
    } catch (const Error& error) {
        return error.code() == Code::not_found;
    }
    return false;
}

/// Which field names what does not exist: the one without which all could be found. Empty: none that the client gave.
std::string_view unknown_field(const std::shared_ptr<const home::Project>& project, const home::RunRequest& wanted)
{
    home::RunRequest other = wanted;
    other.pattern.reset();
    if (wanted.pattern && !is_unknown(project, other)) return "pattern";
    other.agent.reset();
    if (wanted.agent && !is_unknown(project, other)) return "agent";
    return wanted.file ? "team" : wanted.workflow ? "workflow" : wanted.agent ? "agent" : "";
}

engine::CreateTask new_task(const std::shared_ptr<const home::Project>& project, const home::RunRequest& wanted)
{
    try {
        return home::prepare(project, wanted).task;
    } catch (const Error& error) {
        const std::string_view field = error.code() == Code::not_found ? unknown_field(project, wanted) : "";
        if (field.empty()) throw;
        model::Problems problems;
        problems.add(model::Path({}, field), error.what());
        throw BadRequest(std::move(problems));
    }
}

Async<engine::CreateTask> prepared(Call& call, const NewTask& body)
{
    home::Runtime& home = call.service().home.runtime();
    const auto project = home.projects().open(home.place().folder);
    home::RunRequest wanted = wanted_by(body);
    wanted.more_teams = sent_teams(home.home(), call.by().tenant);
    engine::CreateTask task;
    const bool goes_on = is_another_turn(body) && co_await home.queries().find_session(call.by(), *body.session_id);
    if (goes_on) {
        home::expect_prompt(wanted.prompt);
        task = home::another_turn(*project, wanted);
        task.description = wanted.prompt;
    } else {
        task = new_task(project, wanted);
    }
    if (body.budget) task.budget = budget_for(call.by(), task.budget, *body.budget);
    task.metadata = body.metadata;
    if (!call.trace().parent.empty()) task.metadata.emplace(kTraceKey, traceparent_of(call.trace()));
    task.session = body.session_id.value_or("");
    task.start = body.start;
    task.queue = body.if_busy != "reject";
    co_return task;
}

/// What was asked for, whichever request of a trace asked.
boost::json::object without_trace(boost::json::object metadata)
{
    metadata.erase(kTraceKey);
    return metadata;
}

void expect_same(const engine::TaskSpec& made, const engine::CreateTask& now)
{
    if (made.description == now.description && without_trace(made.metadata) == without_trace(now.metadata) &&
        made.kind == now.kind && made.session.value_or("") == now.session && made.pending == !now.start &&
        made.agent == now.agent && made.pattern == now.pattern && made.model == now.model && made.input == now.input &&
        made.budget == now.budget)
        return;
    throw Refusal(422, Code::invalid, "idempotency_key_reused", "the Idempotency-Key was used for another task");
}

/// While it lives, others who want the same task wait.
class Creating {
public:
    Creating(Service& service, const Id& task) : service_(service), task_(task) { service_.creating.insert(task_); }
    Creating(const Creating&) = delete;
    Creating& operator=(const Creating&) = delete;
    ~Creating()
    {
        service_.creating.erase(task_);
        service_.created.notify();
    }

private:
    Service& service_;
    Id task_;
};

Async<TaskView> create(Call& call, NewTask body)
{
    if (body.model) expect_remote_model(*body.model, "model");
    if (body.if_busy != "enqueue" && body.if_busy != "reject") {
        model::Problems problems;
        problems.add(model::Path({}, "if_busy"), R"(is "enqueue" or "reject")");
        throw BadRequest(std::move(problems));
    }
    const Id id = id_for(call);
    Service& service = call.service();
    while (service.creating.contains(id)) co_await service.created.wait();
    const Creating turn(service, id);
    engine::CreateTask task = co_await prepared(call, body);
    task.id = id;
    const auto before = co_await call.service().home.runtime().store().find_task(id);
    if (before) {
        expect_same((co_await call.service().home.runtime().queries().task(call.by(), id))->spec, task);
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

constexpr std::array kCreateFaults = {
    Fault{403, "over_budget", "The budget is more than the project gives, and the sender may not change budgets."},
    Fault{409, "session_busy", "A turn of the session has not ended, and `if_busy` is reject."},
    Fault{422, "idempotency_key_reused", "The key was used for another body."},
    Fault{429, "queue_full", "Too many turns of the session wait."}};

}  // namespace

std::vector<Route> create_routes()
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
    };
}

}  // namespace cadre::server
