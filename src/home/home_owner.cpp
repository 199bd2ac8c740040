#include "home/home_owner.hpp"

#include "base/async.hpp"
#include "base/json_writer.hpp"
#include "base/pool.hpp"
#include "config/text_file.hpp"
#include "engine/task_state.hpp"
#include "home/control/control_server.hpp"
#include "home/control/create_request.hpp"
#include "home/control/fork_request.hpp"
#include "home/models.hpp"
#include "home/project/prepare_task.hpp"
#include "home/project/project.hpp"
#include "home/upkeep.hpp"
#include "model/read.hpp"
#include "model/wire_name.hpp"
#include "storage/sqlite/sqlite_store.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <unistd.h>
#include <utility>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;
using engine::TaskState;

bool flag_in(const boost::json::object& args, std::string_view name)
{
    const auto* value = args.if_contains(name);
    return value && value->is_bool() && value->get_bool();
}

std::string optional_text(const boost::json::object& args, std::string_view name)
{
    return args.contains(name) ? text_of(args, name) : "";
}

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
          if (!leaving_) scope_.spawn(put_away(task));
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

// ---- what takes but a moment ----

Async<std::string> HomeOwner::perform(Request request)
{
    using Perform = Async<std::string> (HomeOwner::*)(boost::json::object);
    constexpr std::pair<std::string_view, Perform> kRequests[] = {
        {"hello", &HomeOwner::hello},
        {"create", &HomeOwner::create},
        {"answer", &HomeOwner::answer},
        {"resume", &HomeOwner::resume},
        {"cancel", &HomeOwner::cancel},
        {"put_away", &HomeOwner::stop},
        {"driving", &HomeOwner::driving},
        {"pause", &HomeOwner::pause},
        {"rest", &HomeOwner::rest},
        {"instruct", &HomeOwner::instruct},
        {"breakpoints", &HomeOwner::breakpoints},
        {"undo", &HomeOwner::undo},
        {"fork", &HomeOwner::fork},
        {"import", &HomeOwner::import_run},
        {"gc", &HomeOwner::gc},
        {"rebuild", &HomeOwner::rebuild},
    };
    for (const auto& [verb, perform] : kRequests)
        if (request.verb == verb) co_return co_await (this->*perform)(std::move(request.args));
    throw Error(Code::invalid, "the owner of the home does not know the request " + in_quotes(request.verb) +
                                   "; it may be of an older version of cadre");
}

Async<std::string> HomeOwner::hello(boost::json::object)
{
    const bool is_bare = sandbox_mode(runtime_->place()) == model::SandboxMode::none;
    co_return fmt::format("{{\"pid\":{},\"bare\":{}}}", ::getpid(), is_bare);
}

Async<std::string> HomeOwner::create(boost::json::object args)
{
    if (leaving_) throw Leaving{};
    engine::CreateTask request = create_task_from(args);
    if (const auto* theirs = args.if_contains(kEndpointFingerprints))
        expect_same_endpoints(*runtime_->projects().open(request.project), theirs->as_object(), request);
    const Id task = co_await runtime_->commands().create(std::move(request));
    co_return fmt::format("{{\"task\":\"{}\"}}", to_string(task));
}

Async<std::string> HomeOwner::answer(boost::json::object args)
{
    const Id task = co_await runtime_->commands().resolve(text_of(args, "task"));
    const bool driven = drivers_.has(task);
    auto answer = model::from_json<model::HumanAnswer>(args.at("answer"), {.ignore_unknown = true});
    co_await until_put_away(task);
    const bool held = !driven && !flag_in(args, "stay");
    co_await runtime_->commands().answer(task, optional_text(args, "request"), std::move(answer), held);
    if (held) co_await put_away(task);
    const auto entry = co_await runtime_->store().find_task(task);
    co_return whose(task, driven, entry ? entry->status : "");
}

Async<std::string> HomeOwner::resume(boost::json::object args)
{
    const Id task = co_await runtime_->commands().resolve(text_of(args, "task"));
    if (drivers_.has(task))
        throw Error(Code::conflict, fmt::format("task {} is driven already, by process {}", short_id(task), ::getpid()),
                    Hint{"to watch it", "tail -f " + short_id(task)});
    if (leaving_) throw Leaving{};
    co_await until_put_away(task);
    if (const auto* budget = args.if_contains("budget")) {
        const TaskState state = co_await runtime_->commands().task(task);
        const auto more = model::from_json<engine::Budget>(*budget);
        co_await runtime_->commands().raise_budget(task, merged(state.budget, more));
    }
    const auto* steps = args.if_contains("steps");
    if (flag_in(args, "freely")) co_await runtime_->commands().run_on(task, optional_text(args, "by"));
    else co_await runtime_->commands().resume(task, optional_text(args, "by"), steps ? steps->to_number<int>() : 0);
    co_return whose(task, false, "running");
}

Async<std::string> HomeOwner::cancel(boost::json::object args)
{
    const Id task = co_await runtime_->commands().resolve(text_of(args, "task"));
    const bool cancelled =
        co_await runtime_->commands().cancel(task, optional_text(args, "by"), optional_text(args, "reason"));
    co_await runtime_->host().until_resting(task);
    const TaskState state = co_await runtime_->commands().task(task);
    std::string text;
    JsonWriter(text)
        .begin_object()
        .field("task", to_string(task))
        .field("cancelled", cancelled)
        .field("status", model::wire_name(state.status))
        .end_object();
    co_return text;
}

Async<Id> HomeOwner::subject(boost::json::object args)
{
    const Id task = co_await runtime_->commands().resolve(text_of(args, "task"));
    co_await until_put_away(task);
    co_return task;
}

Async<std::string> HomeOwner::said_to(Id task)
{
    const auto entry = co_await runtime_->store().find_task(task);
    co_return whose(task, drivers_.has(task), entry ? entry->status : "");
}

Async<std::string> HomeOwner::pause(boost::json::object args)
{
    const Id task = co_await subject(args);
    co_await runtime_->commands().pause(task, optional_text(args, "by"));
    co_return co_await said_to(task);
}

/// Once what is under way of the task is done, and it can or may go no further.
Async<std::string> HomeOwner::rest(boost::json::object args)
{
    const Id task = co_await subject(args);
    co_await runtime_->host().until_resting(task);
    co_return co_await said_to(task);
}

Async<std::string> HomeOwner::instruct(boost::json::object args)
{
    const Id task = co_await subject(args);
    co_await runtime_->commands().instruct(task, text_of(args, "text"), optional_text(args, "by"));
    co_return co_await said_to(task);
}

Async<std::string> HomeOwner::breakpoints(boost::json::object args)
{
    const Id task = co_await subject(args);
    engine::BreakpointChange change{.clear = flag_in(args, "clear")};
    if (const auto* add = args.if_contains("add")) change.add = model::from_json<std::vector<std::string>>(*add);
    if (const auto* gone = args.if_contains("remove"))
        change.remove = model::from_json<std::vector<std::string>>(*gone);
    const auto now = co_await runtime_->commands().change_breakpoints(task, std::move(change));
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("task", to_string(task)).key("breakpoints").begin_array();
    for (const std::string& breakpoint : now) json.value(breakpoint);
    json.end_array().end_object();
    co_return text;
}

Async<std::string> HomeOwner::stop(boost::json::object args)
{
    const Id task = co_await runtime_->commands().resolve(text_of(args, "task"));
    // first: it may be on its way out, but waits for a model
    if (flag_in(args, "at_once")) co_await runtime_->host().put_away_at_once(task);
    co_await put_away(task);
    co_return "{}";
}

Async<std::string> HomeOwner::undo(boost::json::object args)
{
    if (leaving_) throw Leaving{};
    const std::string prompt = co_await runtime_->commands().undo(text_of(args, "session"));
    std::string text;
    JsonWriter(text).begin_object().field("prompt", prompt).end_object();
    co_return text;
}

Async<std::string> HomeOwner::driving(boost::json::object)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("tasks").begin_array();
    for (const Id& task : drivers_.all()) json.value(to_string(task));
    json.end_array().end_object();
    co_return text;
}

Async<std::string> HomeOwner::fork(boost::json::object args)
{
    if (leaving_) throw Leaving{};
    engine::ForkTask request = fork_task_from(args);
    if (const auto* budget = args.if_contains("budget")) {
        const TaskState state = co_await runtime_->commands().task(request.from);
        request.budget = merged(state.budget, model::from_json<engine::Budget>(*budget));
    }
    const Id from = request.from, task = *request.id;
    // first: whoever resumes the fork after a crash finds them
    const bool copied = co_await runtime_->copy_files(from, task);
    std::exception_ptr failure;
    std::string report;
    try {
        report = to_json(co_await runtime_->commands().fork(std::move(request)));
    } catch (const Error&) {
        failure = std::current_exception();
    }
    if (!failure) co_return report;
    if (copied) co_await runtime_->remove_files(task);
    std::rethrow_exception(failure);
}

Async<std::string> HomeOwner::import_run(boost::json::object args)
{
    if (leaving_) throw Leaving{};
    const std::string file = text_of(args, "file");
    auto transfer = co_await on(runtime_->host().env().pool, [file] { return transfer_in(file); });
    const engine::ImportReport report = co_await runtime_->commands().import_run(std::move(transfer));
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("task", to_string(report.task)).field("tasks", std::uint64_t{report.tasks});
    json.field("records", std::uint64_t{report.records}).field("existed", report.existed);
    json.field("redacted", report.redacted).end_object();
    co_return text;
}

Async<std::string> HomeOwner::gc(boost::json::object args)
{
    auto policy = model::from_json<model::framework::RetentionPolicy>(args.at("policy"), {.ignore_unknown = true});
    co_return co_await upkeep_->collect(std::move(policy));
}

Async<std::string> HomeOwner::rebuild(boost::json::object args)
{
    std::optional<Id> task;
    if (args.contains("task")) task = co_await runtime_->commands().resolve(text_of(args, "task"));
    co_return co_await upkeep_->rebuild(task);
}

std::string HomeOwner::whose(const Id& task, bool driven, std::string_view status) const
{
    std::string text;
    JsonWriter(text)
        .begin_object()
        .field("task", to_string(task))
        .field("status", status)
        .field("driven", driven)
        .field("pid", ::getpid())
        .end_object();
    return text;
}

// ---- leaving ----

Async<> HomeOwner::put_away(Id task)
{
    co_await until_put_away(task);
    parting_.insert(task);
    std::exception_ptr failure;
    try {
        co_await runtime_->host().put_away(task);
    } catch (...) {
        failure = std::current_exception();
    }
    parting_.erase(task);
    parted_.notify();
    if (failure) std::rethrow_exception(failure);
}

/// A task that is being put away takes no part in anything until that is done.
Async<> HomeOwner::until_put_away(Id task)
{
    while (parting_.contains(task)) co_await parted_.wait();
}

Async<> HomeOwner::settle()
{
    leaving_ = true;
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
