// Other ways for a task: a fork, another budget, other places to stop.
#include "base/async.hpp"
#include "base/random.hpp"
#include "engine/effect_path.hpp"
#include "engine/transfer_mask.hpp"
#include "home/home_owner.hpp"
#include "home/project/prepare_task.hpp"
#include "model/describe.hpp"
#include "server/call.hpp"
#include "server/deed.hpp"
#include "server/routes/routes.hpp"
#include "server/sent_teams.hpp"
#include "server/service.hpp"
#include "server/views.hpp"

#include <set>

namespace cadre::server {
namespace {

using model::Entity;
using model::field;
using model::Home;

/// What is to be different.
struct NewFork {
    std::optional<engine::ForkPoint> at{};
    std::optional<std::string> description{};
    std::optional<std::string> model{};
    std::string agent{};
    std::optional<std::string> prompt{};
    boost::json::object state{};
    std::optional<engine::Budget> budget{};
    bool start = true;
};

const Entity& describe(const NewFork*)
{
    static const Entity entity{
        .name = "new_fork",
        .doc = "Makes another task of one: what the changes do not affect is reused, with no model call.",
        .fields = {field("at", &NewFork::at, "Up to here all is as it was; null: only what the changes do not affect."),
                   field("description", &NewFork::description, "Another thing to do."),
                   field("model", &NewFork::model, "provider/model, for all agents."),
                   field("agent", &NewFork::agent, "Whose prompt changes; empty: the only one's."),
                   field("prompt", &NewFork::prompt, "Another system prompt."),
                   field("state", &NewFork::state, "Of a workflow: fields of its state and what they become."),
                   field("budget", &NewFork::budget, "The pieces of the budget that change."),
                   field("start", &NewFork::start, "Begin at once.")},
        .home = {Home::Kind::message}};
    return entity;
}

/// What a fork that was made before has taken over.
Async<engine::ForkReport> report_of(Call& call, Id fork)
{
    engine::Queries& queries = call.service().home.runtime().queries();
    const auto state = co_await queries.task(call.by(), fork);
    engine::ForkReport report{.task = fork, .from = call.task()};
    std::set<std::string> effects;
    for (const storage::Record& record : co_await queries.records(call.by(), fork)) {
        if (!state->is_reused(record.seq)) continue;
        report.events = record.event_seq;
        if (record.kind == storage::RecordKind::node_done || record.path.empty() || !effects.insert(record.path).second)
            continue;
        ++report.reused;
        if (engine::find_effect(engine::effect_in(record.path)) == engine::EffectKind::think) ++report.model_calls;
    }
    co_return report;
}

/// Follows from the Idempotency-Key, so that a second attempt finds what the first has made.
Async<Id> fork_id(Call& call)
{
    const auto seed = repeat_hash(call);
    if (!seed) co_return new_id(system_random());
    const Id id = id_from_hash(*seed);
    const bool is_taken = (co_await call.service().home.runtime().store().find_task(id)).has_value();
    co_return is_taken && !call.cut_off_at() ? new_id(system_random()) : id;
}

Async<engine::ForkReport> fork(Call& call, NewFork body)
{
    home::HomeOwner& home = call.service().home;
    if (body.model) expect_remote_model(*body.model, "model");
    const Id id = co_await fork_id(call);
    call.add_header("Location", "/tasks/" + to_string(id));
    if (call.cut_off_at() && co_await home.runtime().store().find_task(id)) {
        engine::ForkReport before = co_await report_of(call, id);
        const auto now = co_await home.runtime().queries().task(call.by(), id);
        if (body.start && !now->finished()) co_await home.perform(call.by(), home::Resume{.task = id});
        co_return before;
    }
    engine::ForkTask fork{.id = id,
                          .from = call.task(),
                          .at = std::move(body.at),
                          .description = std::move(body.description),
                          .model = std::move(body.model),
                          .agent = std::move(body.agent),
                          .prompt = std::move(body.prompt),
                          .state = std::move(body.state),
                          .budget = body.budget};
    engine::ForkReport report = co_await home.perform(call.by(), home::Fork{.fork = std::move(fork)});
    if (body.start) co_await home.perform(call.by(), home::Resume{.task = report.task});
    co_return report;
}

Async<engine::Budget> budget(Call& call)
{
    const auto state = co_await call.service().home.runtime().queries().task(call.by(), call.task());
    call.add_header("ETag", tag_of(*state));
    co_return state->budget;
}

/// The pieces that are given change; a task that waits for more continues.
Async<engine::Budget> change_budget(Call& call, engine::Budget body)
{
    home::Runtime& runtime = call.service().home.runtime();
    const auto state = co_await runtime.queries().task(call.by(), call.task());
    co_await runtime.commands().raise_budget(call.by(), state->id, home::merged(state->budget, body));
    if (state->pause_reason == model::PauseReason::budget)
        co_await call.service().home.perform(call.by(), home::Resume{.task = state->id});
    co_return (co_await runtime.queries().task(call.by(), state->id))->budget;
}

Async<home::BreakpointList> breakpoints(Call& call)
{
    const auto state = co_await call.service().home.runtime().queries().task(call.by(), call.task());
    co_return home::BreakpointList{state->id, state->breakpoints};
}

struct NewBreakpoints {
    std::vector<std::string> breakpoints{};
};

const Entity& describe(const NewBreakpoints*)
{
    static const Entity entity{.name = "new_breakpoints",
                               .doc = "Where a task is to stop from now on.",
                               .fields = {field("breakpoints", &NewBreakpoints::breakpoints, "All of them.",
                                                {.required = true, .max_length = 100})},
                               .home = {Home::Kind::message}};
    return entity;
}

Async<home::BreakpointList> set_breakpoints(Call& call, NewBreakpoints body)
{
    co_return co_await call.service().home.perform(
        call.by(), home::ChangeBreakpoints{.task = call.task(), .clear = true, .add = std::move(body.breakpoints)});
}

/// The task with everything that belongs to it, as `import` takes it; what looks like a secret is masked.
Async<> export_task(Call& call)
{
    engine::Transfer transfer =
        co_await call.service().home.runtime().queries().export_run(call.by(), call.task(), false);
    const PrivateFolders& folders = call.service().folders;
    engine::mask_run(transfer, [&folders](const std::string& text) { return without_folders(text, folders); });
    call.add_header("Content-Disposition", "attachment; filename=\"" + to_string(call.task()) + ".cadre\"");
    co_await call.reply_text("application/octet-stream", engine::file_of(transfer));
}

}  // namespace

std::vector<Route> fork_routes()
{
    using engine::Act;
    return {
        typed({.method = Method::post,
               .path = "/tasks/{task_id}/fork",
               .name = "fork",
               .doc = "Makes another task of this one.",
               .act = Act::change,
               .rate = RateClass::create,
               .shed = Shed::creating,
               .success = 201},
              fork),
        typed({.path = "/tasks/{task_id}/budget", .name = "get_budget", .doc = "What a task may use."}, budget),
        typed({.method = Method::put,
               .path = "/tasks/{task_id}/budget",
               .name = "change_budget",
               .doc = "Changes what a task may use; one that was paused by its budget continues.",
               .act = Act::change,
               .rate = RateClass::write},
              change_budget),
        typed({.path = "/tasks/{task_id}/breakpoints", .name = "get_breakpoints", .doc = "Where a task stops."},
              breakpoints),
        typed({.method = Method::put,
               .path = "/tasks/{task_id}/breakpoints",
               .name = "set_breakpoints",
               .doc = "Says where a task is to stop.",
               .act = Act::work,
               .rate = RateClass::write},
              set_breakpoints),
        {.path = "/tasks/{task_id}/export",
         .name = "export_task",
         .doc = "A task as a file that `import` takes, without secrets.",
         .rate = RateClass::heavy,
         .form = Form::file,
         .handler = export_task},
    };
}

}  // namespace cadre::server
