#include "home/home_link.hpp"

#include "base/async.hpp"
#include "base/timeout.hpp"
#include "engine/cancel_reason.hpp"
#include "engine/event_reader.hpp"
#include "home/control/control_client.hpp"
#include "home/control/create_request.hpp"
#include "home/home_owner.hpp"
#include "home/models.hpp"
#include "home/project/project.hpp"
#include "home/runtime.hpp"
#include "storage/home.hpp"
#include "tools/sandbox/program_tool.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <cstdlib>
#include <unistd.h>
#include <utility>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;
using boost::json::object;

/// Between two looks at a home that is neither free nor answers: its owner is coming or going.
constexpr Millis kPause{20};

object object_from(const std::string& json)
{
    return parse_line(json);
}

/// Which events the sink has, said anew each time that somebody else takes over.
Request with_seen(Request request, std::uint32_t seen)
{
    request.args["after"] = seen;
    return request;
}

/// What is asked of an owner that runs programs without a sandbox, by somebody who has not agreed to that for themselves.
void expect_sandbox(const HomeOwnerFacts& owner, const Place& place, std::string_view verb)
{
    const bool stops = verb == "cancel" || verb == "pause" || verb == "put_away";
    if (stops || !owner.unsandboxed || sandbox_mode(place) == model::SandboxMode::none) return;
    throw Error(Code::conflict,
                fmt::format("process {} runs the tasks of this home, and runs programs of tools without a sandbox "
                            "(CADRE_SANDBOX=none); wait for it to finish, or set CADRE_SANDBOX=none here too",
                            owner.pid));
}

}  // namespace

HomeLink::HomeLink(net::Loop& loop, RuntimeOptions options, HomeLinkHooks hooks)
    : loop_(loop), options_(std::move(options)), hooks_(std::move(hooks))
{}

HomeLink::~HomeLink() = default;

Async<object> HomeLink::call(Request request)
{
    while (true) {
        co_await attach();
        if (owner_) co_return object_from(co_await owner_->perform(std::move(request)));
        // its owner has its own variables, and should not pay for us with its key
        if (request.verb == "create") {
            const engine::CreateTask task = create_task_from(request.args);
            const Project project(options_.place, task.project, options_.home);
            request.args[kEndpointFingerprints] = endpoint_fingerprints(project, task);
        }
        expect_sandbox(client_->owner(), options_.place, request.verb);
        if (auto result = co_await client_->call(request)) co_return std::move(*result);
        client_.reset();
    }
}

Async<object> HomeLink::drive(Request request, LineSink& sink, const std::uint32_t& seen)
{
    while (true) {
        co_await attach();
        if (owner_) {
            if (request.verb == "drive_all") co_return object_from(co_await owner_->drive_all(sink));
            const bool stay = request.args.contains("stay") && request.args.at("stay").as_bool();
            const Id task = id_from(text_of(request.args, "task"));
            co_return object_from(co_await owner_->drive(task, seen, stay, sink));
        }
        // a connection of its own: closing it says that nobody waits for the task any more
        if (const auto own = co_await connect()) {
            expect_sandbox(own->owner(), options_.place, request.verb);
            const Request now = with_seen(request, seen);
            if (auto result = co_await own->call(now, &sink)) co_return std::move(*result);
        }
        client_.reset();
    }
}

engine::Commands& HomeLink::commands()
{
    return owner_ ? owner_->runtime().commands() : reading().commands();
}

Async<Id> HomeLink::resolve(std::string prefix)
{
    co_return co_await commands().resolve(std::move(prefix));
}

Async<engine::TaskState> HomeLink::task(Id task)
{
    co_return co_await commands().task(task);
}

Async<std::string> HomeLink::cancel_reason(Id task)
{
    co_return co_await engine::cancel_reason(owner_ ? owner_->runtime().store() : reading().store(), task);
}

Async<std::vector<storage::TaskEntry>> HomeLink::tasks(storage::TaskQuery query)
{
    if (owner_) co_return co_await owner_->runtime().store().tasks(std::move(query));
    co_return co_await reading().store().tasks(std::move(query));
}

Async<std::vector<engine::NumberedEvent>> HomeLink::events(Id task)
{
    std::vector<engine::NumberedEvent> all;
    engine::EventReader reader(owner_ ? owner_->runtime().store() : reading().store(), task, 1);
    while (true) {
        auto page = co_await reader.next();
        if (page.empty()) co_return all;
        for (engine::NumberedEvent& event : page) all.push_back(std::move(event));
    }
}

Async<> HomeLink::settle(Id task)
{
    if (owner_) co_return co_await owner_->settle();
    // whoever has the home now puts the task away; if it is nobody, nothing runs
    const auto client = co_await connect();
    if (!client) co_return;
    Request request{.verb = "put_away"};
    request.args["task"] = to_string(task);
    co_await client->call(request);
}

Async<> HomeLink::leave()
{
    client_.reset();
    if (owner_) co_await owner_->leave();
    owner_.reset();
    if (reading_) co_await reading_->close();
    reading_.reset();
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

Runtime& HomeLink::reading()
{
    if (!reading_) reading_ = find_journal(loop_, options_);
    if (!reading_) throw Error(Code::not_found, "there are no tasks yet", {"to make one", "run"});
    return *reading_;
}

void HomeLink::owner_is_silent() const
{
    const auto pid = storage::owner_pid(options_.home);
    const std::string who = pid ? fmt::format("process {}", *pid) : "another process";
    const std::string ways =
        pid ? fmt::format("; if it is stopped, let it go on (kill -CONT {}) or end it (kill -9 {})", *pid, *pid) : "";
    throw Error(Code::unavailable,
                fmt::format("{} has the home {} and does not answer{}", who, options_.home.string(), ways));
}

}  // namespace cadre::home
