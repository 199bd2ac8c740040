#include "home/home_link.hpp"

#include "base/async.hpp"
#include "base/timeout.hpp"
#include "home/control/control_client.hpp"
#include "home/home_owner.hpp"
#include "home/models.hpp"
#include "home/project/project.hpp"
#include "home/runtime.hpp"
#include "home/telling.hpp"
#include "model/read.hpp"
#include "model/write.hpp"
#include "storage/home.hpp"
#include "tools/sandbox/program_tool.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <cstdlib>
#include <unistd.h>
#include <utility>

namespace cadre::home {
namespace {

/// Between two looks at a home that is neither free nor answers: its owner is coming or going.
constexpr Millis kPause{20};

/// What is asked of an owner that runs programs without a sandbox, by somebody who has not agreed to that for themselves.
void expect_sandbox(const Owner& owner, const Place& place, std::string_view verb)
{
    const bool stops = verb == Cancel::verb || verb == Pause::verb || verb == Park::verb;
    if (stops || !owner.bare || sandbox_mode(place) == model::SandboxMode::none) return;
    throw Error(Code::conflict,
                fmt::format("process {} runs the tasks of this home, and runs programs of tools without a sandbox "
                            "(CADRE_SANDBOX=none); wait for it to finish, or set CADRE_SANDBOX=none here too",
                            owner.pid));
}

}  // namespace

HomeLink::HomeLink(net::Loop& loop, engine::Principal who, RuntimeOptions options, HomeLinkHooks hooks)
    : loop_(loop), who_(std::move(who)), options_(std::move(options)), hooks_(std::move(hooks))
{}

HomeLink::~HomeLink() = default;

/// Nothing when the owner has left.
template <class Request>
Async<std::optional<typename Request::Answer>> HomeLink::ask(ControlClient& owner, const Request& request,
                                                             Listener* listener)
{
    expect_sandbox(owner.owner(), options_.place, Request::verb);
    const auto answer =
        co_await owner.call(request_line(Request::verb, who_.subject, model::to_json_text(request)), listener);
    if (!answer) co_return std::nullopt;
    co_return model::from_json<typename Request::Answer>(*answer, {.ignore_unknown = true});
}

template <class Request>
Async<typename Request::Answer> HomeLink::call(Request request)
{
    while (true) {
        co_await attach();
        if (owner_) co_return co_await owner_->perform(who_, std::move(request));
        // its owner has its own variables, and should not pay for us with its key
        if constexpr (std::is_same_v<Request, Create>) {
            const Project project(options_.place, project_folder(request.task, options_.place), options_.home);
            request.endpoints = endpoint_fingerprints(project, request.task);
        }
        if constexpr (std::is_same_v<Request, Intervene>)
            if (request.details.contains("team")) {
                const std::string folder = (co_await task(request.task))->spec.project;
                const Project project(options_.place, folder, options_.home);
                request.endpoints = endpoint_fingerprints(project, team_in(request.details, folder));
            }
        if (auto answer = co_await ask(*client_, request)) co_return std::move(*answer);
        client_.reset();
    }
}

template Async<Created> HomeLink::call(Create);
template Async<TaskReply> HomeLink::call(Start);
template Async<TaskReply> HomeLink::call(AnswerQuestion);
template Async<TaskReply> HomeLink::call(Resume);
template Async<CancelReply> HomeLink::call(Cancel);
template Async<TaskReply> HomeLink::call(Pause);
template Async<TaskReply> HomeLink::call(AwaitRest);
template Async<TaskReply> HomeLink::call(Instruct);
template Async<TaskReply> HomeLink::call(Intervene);
template Async<BreakpointList> HomeLink::call(ChangeBreakpoints);
template Async<Done> HomeLink::call(Park);
template Async<TaskIds> HomeLink::call(Driving);
template Async<Undone> HomeLink::call(Undo);
template Async<engine::ForkReport> HomeLink::call(Fork);
template Async<engine::ImportReport> HomeLink::call(Import);
template Async<Collected> HomeLink::call(Collect);
template Async<Rebuilt> HomeLink::call(Rebuild);
template Async<KnownItems> HomeLink::call(ListMemory);
template Async<FoundMemories> HomeLink::call(SearchMemory);
template Async<AddedMemory> HomeLink::call(AddMemory);
template Async<ForgottenMemory> HomeLink::call(ForgetMemory);
template Async<ArtifactEntry> HomeLink::call(RestoreArtifact);
template Async<ConsolidatedMemory> HomeLink::call(ConsolidateMemory);

Async<AtRest> HomeLink::drive(Drive request, Listener& listener, const std::uint32_t& seen)
{
    while (true) {
        co_await attach();
        request.after = seen;
        if (owner_) co_return co_await owner_->perform(who_, request, listener);
        // a connection of its own: closing it says that nobody waits for the task any more
        if (const auto own = co_await connect())
            if (auto rest = co_await ask(*own, request, &listener)) co_return std::move(*rest);
        client_.reset();
    }
}

Async<DrivenTasks> HomeLink::drive_all(Listener& listener)
{
    while (true) {
        co_await attach();
        if (owner_) co_return co_await owner_->perform(who_, DriveAll{}, listener);
        if (const auto own = co_await connect())
            if (const auto driven = co_await ask(*own, DriveAll{}, &listener)) co_return *driven;
        client_.reset();
    }
}

engine::Queries& HomeLink::queries()
{
    if (owner_) return owner_->runtime().queries();
    if (!queries_) {
        store_ = find_journal(options_.home);
        if (!store_) throw Error(Code::not_found, "there are no tasks yet", {"to make one", "run \"Hello\""});
        queries_ = std::make_unique<engine::Queries>(*store_);
    }
    return *queries_;
}

Async<Id> HomeLink::resolve(std::string prefix)
{
    return queries().resolve(who_, std::move(prefix));
}

Async<std::shared_ptr<const engine::TaskState>> HomeLink::task(Id task)
{
    return queries().task(who_, task);
}

Async<std::vector<storage::TaskEntry>> HomeLink::tasks(storage::TaskQuery query)
{
    return queries().tasks(who_, std::move(query));
}

Async<> HomeLink::settle(Id task)
{
    if (owner_) co_return co_await owner_->settle();
    // whoever has the home now parks the task; if it is nobody, nothing runs
    if (const auto client = co_await connect()) co_await ask(*client, Park{.task = task});
}

Async<> HomeLink::leave()
{
    client_.reset();
    if (owner_) co_await owner_->leave();
    owner_.reset();
    queries_.reset();
    store_.reset();
}

Async<> HomeLink::attach()
{
    const Instant end = later(loop_.now(), kPatience);
    while (!owner_ && !client_) {
        if (auto lock = storage::HomeLock::try_acquire(options_.home)) {
            owner_ = std::make_unique<HomeOwner>(loop_, options_, std::move(*lock), hooks_.journal_failed);
            if (sandbox_mode(options_.place) == model::SandboxMode::none) hooks_.warn(tools::kBareWarning);
            co_return;
        }
        client_ = co_await connect();
        if (client_) co_return;
        if (loop_.now() >= end) owner_is_silent();
        co_await sleep_for(kPause);
    }
}

Async<std::unique_ptr<ControlClient>> HomeLink::connect()
{
    co_return co_await ControlClient::connect(loop_, options_.home, kPatience);
}

void HomeLink::owner_is_silent() const
{
    const auto pid = storage::owner_pid(options_.home);
    const std::string who = pid ? fmt::format("process {}", *pid) : "another process";
    const std::string ways =
        pid ? fmt::format("; if it is stopped, let it continue (kill -CONT {}) or end it (kill -9 {})", *pid, *pid)
            : "";
    throw Error(Code::unavailable,
                fmt::format("{} has the home {} and does not answer{}", who, options_.home.string(), ways));
}

}  // namespace cadre::home
