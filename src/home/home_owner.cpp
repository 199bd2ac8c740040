#include "home/home_owner.hpp"

#include "base/async.hpp"
#include "base/pool.hpp"
#include "base/random.hpp"
#include "config/text_file.hpp"
#include "engine/task_state.hpp"
#include "home/channel_turn.hpp"
#include "home/channels.hpp"
#include "home/control/control_server.hpp"
#include "home/models.hpp"
#include "home/project/prepare_task.hpp"
#include "home/project/project.hpp"
#include "home/upkeep.hpp"
#include "model/wire_name.hpp"
#include "storage/sqlite/sqlite_store.hpp"

#include <fmt/core.h>

#include <unistd.h>
#include <utility>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;

/// Blocks; what is wrong with the file is said with its name.
engine::Transfer transfer_in(const std::string& file)
{
    const std::string text = config::text_of_file(file, engine::kMaxExport);
    try {
        return engine::transfer_from(text);
    } catch (const Error& error) {
        throw Error(error.code(), fmt::format("{}: {}", file, error.what()));
    }
}

}  // namespace

fs::path control_socket(const fs::path& home)
{
    return home / "control.sock";
}

HomeOwner::HomeOwner(net::Loop& loop, const RuntimeOptions& options, storage::HomeLock lock, OnFailure on_failure)
    : loop_(loop),
      lock_(std::move(lock)),
      server_(std::make_unique<ControlServer>(loop, control_socket(options.home))),
      runtime_(std::make_unique<Runtime>(loop, options, storage::SqliteStore::open(options.home))),
      upkeep_(std::make_unique<HomeUpkeep>(loop, *runtime_)),
      drivers_([this](const Id& task) {
          if (!leaving_ && !drives_all_) scope_.spawn(park(task));
      }),
      scope_(loop)
{
    runtime_->store().on_stopped([&loop, heard = std::move(on_failure)](const std::exception_ptr& failure) {
        loop.deliver([heard, failure] { heard(failure); });
    });
    server_->serve(*this);
}

HomeOwner::~HomeOwner()
{
    leaving_ = true;
    server_.reset();  // those who drive a task for a client end before what they use
}

const RedisCopies* HomeOwner::copies() const
{
    return upkeep_->copies();
}

// ---- requests ----

Async<Owner> HomeOwner::perform(engine::Principal, Hello)
{
    co_return Owner{.pid = ::getpid(), .bare = sandbox_mode(runtime_->place()) == model::SandboxMode::none};
}

Async<Created> HomeOwner::perform(engine::Principal by, Create request)
{
    if (leaving_) throw Leaving{};
    if (!request.endpoints.empty())
        expect_same_endpoints(*runtime_->projects().open(project_folder(request.task, runtime_->projects().place())),
                              request.endpoints, request.task);
    co_return Created{co_await runtime_->commands().create(std::move(by), std::move(request.task), request.held)};
}

Async<TaskReply> HomeOwner::perform(engine::Principal by, Start request)
{
    if (leaving_) throw Leaving{};
    co_await runtime_->commands().start(by, request.task);
    co_return co_await reply_about(std::move(by), request.task);
}

Async<TaskReply> HomeOwner::perform(engine::Principal by, AnswerQuestion request)
{
    const std::uint32_t events = (co_await runtime_->queries().task(by, request.task))->end.event_seq;
    const bool held =
        !co_await is_driven(by, request.task);  // the answer is recorded, whether or not the task can continue here
    co_await until_parked(request.task);
    co_await runtime_->commands().answer(by, request.task, std::move(request.request), std::move(request.answer), held);
    if (held) co_await park(request.task);
    TaskReply reply = co_await reply_about(std::move(by), request.task);
    reply.driven = !held;
    reply.events = events;
    co_return reply;
}

Async<TaskReply> HomeOwner::perform(engine::Principal by, Resume request)
{
    const Id task = request.task;
    if (drivers_.has(task) && !drives_all_)
        throw Error(Code::conflict, fmt::format("task {} is driven already, by process {}", short_id(task), ::getpid()),
                    Hint{"to watch it", "tail -f " + short_id(task)});
    if (leaving_) throw Leaving{};
    co_await until_parked(task);
    const auto before = co_await runtime_->queries().task(by, task);
    const bool is_driven = co_await this->is_driven(by, task);
    const bool held = request.held && !is_driven;
    engine::Commands& commands = runtime_->commands();
    if (request.budget) co_await commands.raise_budget(by, task, merged(before->budget, *request.budget), held);
    const engine::Onward how{.steps = request.steps, .freely = request.freely, .held = held};
    co_await commands.go_on(by, task, how);
    co_return TaskReply{.task = task,
                        .status = model::TaskStatus::running,
                        .driven = is_driven,
                        .pid = ::getpid(),
                        .events = before->end.event_seq};
}

Async<CancelReply> HomeOwner::perform(engine::Principal by, Cancel request)
{
    const bool cancelled = co_await runtime_->commands().cancel(by, request.task, std::move(request.reason));
    co_await runtime_->host().until_resting(request.task);
    const auto state = co_await runtime_->queries().task(std::move(by), request.task);
    co_return CancelReply{request.task, cancelled, state->status};
}

Async<TaskReply> HomeOwner::perform(engine::Principal by, Pause request)
{
    co_await until_parked(request.task);
    co_await runtime_->commands().pause(by, request.task);
    co_return co_await reply_about(std::move(by), request.task);
}

Async<TaskReply> HomeOwner::perform(engine::Principal by, AwaitRest request)
{
    co_await runtime_->queries().entry(by, request.task);  // whether it is theirs to know
    co_await until_parked(request.task);
    co_await runtime_->host().until_resting(request.task);
    co_return co_await reply_about(std::move(by), request.task);
}

Async<TaskReply> HomeOwner::perform(engine::Principal by, Instruct request)
{
    co_await until_parked(request.task);
    co_await runtime_->commands().instruct(by, request.task, std::move(request.text));
    co_return co_await reply_about(std::move(by), request.task);
}

Async<TaskReply> HomeOwner::perform(engine::Principal by, Intervene request)
{
    const Id task = request.task;
    if (!request.endpoints.empty()) {
        const std::string project = (co_await runtime_->queries().task(by, task))->spec.project;
        expect_same_endpoints(*runtime_->projects().open(project), request.endpoints,
                              team_in(request.details, project));
    }
    co_await until_parked(task);
    engine::Intervention intervention{request.type, std::move(request.instruction), std::move(request.details)};
    co_await runtime_->commands().intervene(by, task, std::move(intervention));
    co_return co_await reply_about(std::move(by), task);
}

Async<BreakpointList> HomeOwner::perform(engine::Principal by, ChangeBreakpoints request)
{
    co_await until_parked(request.task);
    engine::BreakpointChange change{request.clear, std::move(request.remove), std::move(request.add)};
    auto now = co_await runtime_->commands().change_breakpoints(std::move(by), request.task, std::move(change));
    co_return BreakpointList{request.task, std::move(now)};
}

Async<Done> HomeOwner::perform(engine::Principal by, Park request)
{
    co_await runtime_->queries().entry(std::move(by), request.task, Act::work);
    // first: it may be on its way out, but waits for a model
    if (request.at_once) co_await runtime_->host().park_at_once(request.task);
    co_await park(request.task);
    co_return Done{};
}

Async<TaskIds> HomeOwner::perform(engine::Principal by, Driving)
{
    TaskIds driven;
    if (drives_all_) {
        for (const storage::TaskEntry& entry :
             co_await runtime_->queries().tasks(std::move(by), {.open_only = true, .limit = SIZE_MAX}))
            driven.tasks.push_back(entry.task);
        co_return driven;
    }
    for (const Id& task : drivers_.all()) {
        const auto entry = co_await runtime_->store().find_task(task);
        if (entry && entry->tenant == by.tenant) driven.tasks.push_back(task);
    }
    co_return driven;
}

Async<Undone> HomeOwner::perform(engine::Principal by, Undo request)
{
    if (leaving_) throw Leaving{};
    co_return Undone{co_await runtime_->commands().undo(std::move(by), std::move(request.session))};
}

Async<engine::ForkReport> HomeOwner::perform(engine::Principal by, Fork request)
{
    if (leaving_) throw Leaving{};
    engine::ForkTask fork = std::move(request.fork);
    const auto from = co_await runtime_->queries().task(by, fork.from);
    if (fork.budget) fork.budget = merged(from->budget, *fork.budget);
    if (!fork.id) fork.id = new_id(system_random());
    const Id task = *fork.id, source = fork.from;
    // first: whoever resumes the fork after a crash finds them
    const bool copied = co_await runtime_->copy_files(fork.from, task);
    std::exception_ptr failure;
    engine::ForkReport report;
    try {
        report = co_await runtime_->commands().fork(std::move(by), std::move(fork));
    } catch (const Error&) {
        failure = std::current_exception();
    }
    if (failure && copied) co_await runtime_->remove_files(task);
    if (failure) std::rethrow_exception(failure);
    if (copied) co_await runtime_->remove_later_files(source, task);  // it does not run yet
    co_return report;
}

Async<engine::ImportReport> HomeOwner::perform(engine::Principal by, Import request)
{
    if (leaving_) throw Leaving{};
    engine::expect_may(by, Act::change);  // before the file is looked at
    auto transfer = co_await on(runtime_->host().env().pool, [file = request.file] { return transfer_in(file); });
    co_return co_await runtime_->commands().import_run(std::move(by), std::move(transfer));
}

Async<Collected> HomeOwner::perform(engine::Principal by, Collect request)
{
    engine::expect_may(by, Act::maintain);
    co_return co_await upkeep_->collect(std::move(request.policy), request.force);
}

Async<Collected> HomeOwner::perform(engine::Principal by, Remove request)
{
    const Id task = request.task;
    const auto entry = co_await runtime_->queries().entry(std::move(by), task, Act::change);
    if (entry.open) throw Error(Code::conflict, fmt::format("task {} has not ended", to_string(task)));
    co_await until_parked(task);
    co_await runtime_->host().until_resting(task);  // what has ended just now leaves the memory
    co_return co_await upkeep_->remove(task);
}

Async<Rebuilt> HomeOwner::perform(engine::Principal by, Rebuild request)
{
    engine::expect_may(by, Act::maintain);
    if (request.task) co_await runtime_->queries().task(by, *request.task);  // what became of it, if it is not there
    co_return co_await upkeep_->rebuild(request.task);
}

TaskReply HomeOwner::reply_of(const storage::TaskEntry& entry, std::uint32_t events) const
{
    return {.task = entry.task,
            .status = model::find_named<model::TaskStatus>(entry.status).value_or(model::TaskStatus::pending),
            .driven = drives_all_ || drivers_.has(entry.task),
            .pid = ::getpid(),
            .events = events};
}

Async<TaskReply> HomeOwner::reply_about(engine::Principal by, Id task)
{
    co_return reply_of(co_await runtime_->queries().entry(std::move(by), task));
}

/// Whether somebody waits for the task, or for one above it.
Async<bool> HomeOwner::is_driven(engine::Principal by, Id task)
{
    if (drives_all_) co_return true;
    std::optional<Id> next = task;
    while (next && !drivers_.has(*next)) {
        const auto state = co_await runtime_->queries().task(by, *next);
        next = state->spec.parent ? find_id(*state->spec.parent) : std::nullopt;
    }
    co_return next.has_value();
}

// ---- leaving ----

Async<> HomeOwner::park(Id task)
{
    struct Parking {
        explicit Parking(HomeOwner& owner, const Id& id) : self(owner), task(id) { self.parking_.insert(task); }
        Parking(const Parking&) = delete;
        Parking& operator=(const Parking&) = delete;
        ~Parking()
        {
            self.parking_.erase(task);
            self.parked_.notify();
        }
        HomeOwner& self;
        Id task;
    };
    co_await until_parked(task);
    const Parking parking(*this, task);
    co_await runtime_->host().park(task);
}

/// A task that is being parked takes no part in anything until that is done.
Async<> HomeOwner::until_parked(Id task)
{
    while (parking_.contains(task)) co_await parked_.wait();
}

Async<std::size_t> HomeOwner::drive_all_by_itself()
{
    drives_all_ = true;
    co_return co_await runtime_->host().wake_all();
}

Async<> HomeOwner::open_channels()
{
    co_await runtime_->channels().open([this](channels::Turn turn) { return start_turn(std::move(turn)); });
}

/// Its id follows from its first message: who comes again after a crash finds the task, which answers what it was made with.
Async<std::vector<std::string>> HomeOwner::start_turn(channels::Turn turn)
{
    if (leaving_) throw Error(Code::unavailable, "the home is being left");
    if (const auto made = co_await runtime_->store().find_task(turn.task)) {
        engine::Principal reader{.tenant = made->tenant, .roles = {engine::Role::viewer}};
        co_return messages_of(*co_await runtime_->queries().task(std::move(reader), turn.task));
    }
    Projects& projects = runtime_->projects();
    const auto project = projects.open(projects.place().folder);
    const auto accounts = runtime_->channels().accounts();
    const model::ChannelAccount& account = channels::account_in(*accounts, turn.account);
    const engine::Principal by = sender_of(turn, account);
    const auto head = co_await runtime_->queries().find_session(by, turn.session);
    engine::CreateTask task = task_of(turn, project, account, head ? &head->last : nullptr);
    co_await runtime_->commands().create(by, std::move(task));
    co_return turn.ids;
}

Async<> HomeOwner::settle()
{
    leaving_ = true;
    co_await runtime_->channels().close();
    co_await runtime_->host().drain();
}

Async<> HomeOwner::leave()
{
    co_await settle();
    co_await server_->finish();
    co_await runtime_->host().drain();  // what the last requests have woken
    co_await server_->close();
    co_await scope_.close();
    co_await runtime_->close();
    co_await upkeep_->finish();
    upkeep_.reset();
    runtime_.reset();
    lock_.reset();
    server_.reset();  // closes the connections, so that those who wait try for the home now
}

}  // namespace cadre::home
