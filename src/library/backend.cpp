#include "library/backend.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/timeout.hpp"
#include "home/home_owner.hpp"
#include "home/project/project.hpp"
#include "home/telling.hpp"
#include "library/outcome.hpp"
#include "library/surroundings.hpp"
#include "model/wire_name.hpp"
#include "storage/home.hpp"
#include "storage/memory/memory_store.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace cadre::library {

namespace {

namespace fs = std::filesystem;
using engine::TaskState;

storage::HomeLock lock_of(const fs::path& home)
{
    if (auto lock = storage::HomeLock::try_acquire(home)) return std::move(*lock);
    const auto pid = storage::owner_pid(home);
    throw Error(Code::unavailable,
                fmt::format("the home {} is in use by {}; one engine at a time has it", home.string(),
                            pid ? fmt::format("process {}", *pid) : "another process"));
}

/// Whoever drives a task here looks for what happened by other ways.
class Nobody final : public home::Listener {
public:
    Async<> hear(home::Told) override { co_return; }
};

/// Tools of the process are not looked for among the project's servers.
void name_own_tools(model::Team& team, const tools::Registry& tools)
{
    for (const model::Agent& agent : team.agents)
        for (const std::string& name : agent.tools)
            if (tools.find(name) && std::ranges::find(team.tools, name, &model::Tool::name) == team.tools.end())
                team.tools.push_back({.name = name, .type = model::ToolType::builtin});
}

/// Whether it goes no further without somebody's help.
bool is_at_rest(const TaskState& state)
{
    return state.finished() || state.pause_reason || state.status == model::TaskStatus::waiting || !state.due();
}

}  // namespace

Backend::Backend(net::Loop& loop, const EngineOptions& options)
    : loop_(loop),
      log_(sink_for(options.log), Level::error),
      folder_(options.home.empty() ? temporary_folder() : fs::absolute(options.home).lexically_normal()),
      project_(options.project.empty() ? fs::path() : fs::absolute(options.project).lexically_normal()),
      scope_(loop)
{
    home::RuntimeOptions runtime{.place = surroundings(project_.empty() ? folder_ : project_),
                                 .home = folder_,
                                 .log = sink_for(options.log),
                                 .threads = options.threads};
    if (!project_.empty()) runtime.project = std::make_shared<const home::Project>(runtime.place, project_, folder_);
    if (options.home.empty()) {
        in_memory_ = std::make_unique<home::Runtime>(loop, runtime, std::make_unique<storage::MemoryStore>());
        runtime_ = in_memory_.get();
        return;
    }
    // calls fail from then on, with what the store says; a program that is not ours is not ended
    const auto failed = [log = log_](const std::exception_ptr&) {
        log.error("the journal can be written no more; the tasks of this engine stand still");
    };
    owner_ = std::make_unique<home::HomeOwner>(loop, runtime, lock_of(folder_), failed);
    runtime_ = &owner_->runtime();
}

Backend::~Backend()
{
    std::error_code error;
    if (in_memory_) fs::remove_all(folder_, error);  // what tools have written
}

std::shared_ptr<const home::Project> Backend::project()
{
    return runtime_->projects().open(project_.empty() ? folder_ : project_);
}

Async<> Backend::close()
{
    {
        AsyncScope parking(co_await this_context());
        for (const Id& task : driven_) parking.spawn(park(task));
        co_await parking.join();
    }
    try {
        co_await scope_.close();
        if (owner_) co_await owner_->leave();
        else co_await in_memory_->close();
    } catch (const Error& error) {
        log_.error(error.what());
    }
}

Async<> Backend::park(Id task)
{
    try {
        co_await runtime_->host().park_at_once(task);
    } catch (const Error& error) {
        log_.error(error.what());
    }
}

// ---- driving: a home's owner works on tasks that somebody waits for, and an engine waits for all of its own ----

void Backend::drive(const Id& task)
{
    if (driven_.insert(task).second) scope_.spawn(keep_driving(task));
}

Async<> Backend::keep_driving(Id task)
{
    try {
        Nobody nobody;
        if (owner_) co_await owner_->perform(who_, home::Drive{.task = task, .stay = true}, nobody);
        else if (is_over((co_await until_rest(task)).outcome.status)) runtime_->models().left_over(task);
    } catch (const Error& error) {
        log_.error(error.what(), {{"task", to_string(task)}});
    } catch (const home::Leaving&) {}
    driven_.erase(task);
}

/// By this engine, or by it for a process that has asked it to.
Async<bool> Backend::is_driven(Id task)
{
    if (in_memory_ || driven_.contains(task)) co_return true;
    const home::TaskIds driven = co_await owner_->perform(who_, home::Driving{});
    co_return std::ranges::find(driven.tasks, task) != driven.tasks.end();
}

// ---- everything that is asked of Commands and Queries ----

Async<> Backend::create(engine::CreateTask request)
{
    name_own_tools(request.team, runtime_->tools());
    drive(co_await runtime_->commands().create(who_, std::move(request)));
}

Async<Id> Backend::resolve(std::string prefix)
{
    const Id task = co_await runtime_->queries().resolve(who_, std::move(prefix));
    co_await runtime_->queries().entry(who_, task);  // a whole id may be one that nobody has
    co_return task;
}

Async<std::vector<Id>> Backend::tasks(bool open_only)
{
    std::vector<Id> ids;
    for (const auto& entry : co_await runtime_->queries().tasks(who_, {.open_only = open_only, .limit = SIZE_MAX}))
        ids.push_back(entry.task);
    co_return ids;
}

Async<Outcome> Backend::look(Id task)
{
    const auto state = co_await runtime_->queries().task(who_, task);
    co_return co_await outcome_at(state);
}

Async<Outcome> Backend::outcome_at(std::shared_ptr<const TaskState> state)
{
    const bool is_driven = co_await this->is_driven(state->id);
    Outcome outcome = outcome_of(*state, is_driven);
    if (!runtime_->host().stands_still(state->id)) co_return outcome;
    for (const auto& below : co_await runtime_->queries().open_tree(who_, state->id))
        if (below->id != state->id) add_questions(outcome, *below);
    if (!outcome.questions.empty()) outcome.status = Status::waiting;
    co_return outcome;
}

Async<Status> Backend::status(Id task)
{
    co_return (co_await look(task)).status;
}

Async<Rest> Backend::until_rest(Id task)
{
    engine::Host& host = runtime_->host();
    while (true) {
        co_await host.until_resting(task, true);
        const auto moves = host.moves_below(task);
        const auto state = co_await runtime_->queries().task(who_, task);
        if (is_at_rest(*state) || host.stands_still(task)) {
            Outcome outcome = co_await outcome_at(state);
            if (host.moves_below(task) != moves) continue;  // somebody has answered meanwhile
            co_return Rest{.outcome = std::move(outcome), .last = state->end.event_seq};
        }
        const Clock& clock = loop_.clock();
        co_await sleep_until(later(clock.instant(), std::max(*state->due() - clock.now(), Millis(1))));
    }
}

Async<std::unique_ptr<engine::Subscription>> Backend::watch(Id task, std::uint32_t after)
{
    return runtime_->commands().watch(who_, task, after);
}

std::unique_ptr<engine::Subscription> Backend::watch_new(const Id& task)
{
    return std::make_unique<engine::Subscription>(runtime_->host().hub(), task, 0);
}

Async<> Backend::answer(Id task, std::string question, Answer answer)
{
    auto type = model::HumanRequestType::approval;
    Id asks = task;
    bool found = false;
    for (const auto& one : co_await runtime_->queries().open_tree(who_, task))
        for (const auto& open : one->questions)
            if (!found && open.request.id.starts_with(question)) {
                type = open.request.type;
                asks = one->id;
                found = true;
            }
    co_await runtime_->commands().answer(who_, asks, std::move(question), inner_form(type, std::move(answer)));
    drive(asks);
    if (asks != task) drive(task);
}

Async<bool> Backend::cancel(Id task, std::string reason)
{
    const bool cancelled = co_await runtime_->commands().cancel(who_, task, std::move(reason));
    co_await runtime_->host().until_resting(task);
    co_return cancelled;
}

Async<> Backend::pause(Id task)
{
    co_await runtime_->commands().pause(who_, task);
}

Async<> Backend::resume(Id task)
{
    co_await runtime_->commands().resume(who_, task);
    drive(task);
}

Async<> Backend::instruct(Id task, std::string text)
{
    co_await runtime_->commands().instruct(who_, task, std::move(text));
}

Async<std::vector<Id>> Backend::resume_all()
{
    std::vector<Id> resumed;
    for (const auto& entry : co_await runtime_->queries().tasks(who_, {.open_only = true, .limit = SIZE_MAX})) {
        if (driven_.contains(entry.task) || entry.status == model::wire_name(model::TaskStatus::paused)) continue;
        try {
            co_await resume(entry.task);
            resumed.push_back(entry.task);
        } catch (const Error& error) {
            log_.error(error.what(), {{"task", to_string(entry.task)}});
        }
    }
    co_return resumed;
}

}  // namespace cadre::library
