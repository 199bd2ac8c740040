#include "cli/home_session.hpp"

#include "base/async.hpp"
#include "base/timeout.hpp"
#include "cli/cancel_reason.hpp"
#include "cli/control_client.hpp"
#include "cli/create_request.hpp"
#include "cli/engine_room.hpp"
#include "cli/event_reader.hpp"
#include "cli/home_owner.hpp"
#include "cli/models.hpp"
#include "cli/project_here.hpp"
#include "cli/run.hpp"
#include "cli/verb.hpp"
#include "storage/home.hpp"
#include "tools/sandbox/program_tool.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <cstdlib>
#include <unistd.h>
#include <utility>

namespace cadre::cli {
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
void expect_sandbox(const HomeOwnerFacts& owner, std::string_view verb)
{
    const bool stops = verb == "cancel" || verb == "pause" || verb == "put_away";
    if (stops || !owner.is_bare || sandbox_here() == model::SandboxMode::none) return;
    throw Error(Code::conflict,
                fmt::format("process {} runs the tasks of this home, and runs programs of tools without a sandbox "
                            "(CADRE_SANDBOX=none); wait until it has ended, or say the same here",
                            owner.pid));
}

}  // namespace

HomeSession::HomeSession(net::Loop& loop, const Output& output, fs::path home)
    : loop_(loop), output_(output), home_(std::move(home))
{}

HomeSession::~HomeSession() = default;

Async<object> HomeSession::call(Request request)
{
    while (true) {
        co_await sit_down();
        if (owner_) co_return object_from(co_await owner_->perform(std::move(request)));
        // its owner has its own variables, and should not pay for us with its key
        if (request.verb == "create") request.args[kEndpointMarks] = endpoint_marks(create_task_from(request.args));
        expect_sandbox(client_->owner(), request.verb);
        if (auto result = co_await client_->call(request)) co_return std::move(*result);
        client_.reset();
    }
}

Async<object> HomeSession::drive(Request request, LineSink& sink, const std::uint32_t& seen)
{
    while (true) {
        co_await sit_down();
        if (owner_) {
            if (request.verb == "drive_all") co_return object_from(co_await owner_->drive_all(sink));
            const bool stay = request.args.contains("stay") && request.args.at("stay").as_bool();
            const Id task = id_from(text_of(request.args, "task"));
            co_return object_from(co_await owner_->drive(task, seen, stay, sink));
        }
        // a connection of its own: closing it says that nobody waits for the task any more
        if (const auto own = co_await connect()) {
            expect_sandbox(own->owner(), request.verb);
            const Request now = with_seen(request, seen);
            if (auto result = co_await own->call(now, &sink)) co_return std::move(*result);
        }
        client_.reset();
    }
}

engine::Commands& HomeSession::commands()
{
    return owner_ ? owner_->room().commands() : reading().commands();
}

Async<Id> HomeSession::resolve(std::string prefix)
{
    co_return co_await commands().resolve(std::move(prefix));
}

Async<engine::TaskState> HomeSession::task(Id task)
{
    co_return co_await commands().task(task);
}

Async<std::string> HomeSession::cancel_reason(Id task)
{
    co_return co_await cli::cancel_reason(owner_ ? owner_->room().store() : reading().store(), task);
}

Async<std::vector<storage::TaskEntry>> HomeSession::tasks(storage::TaskQuery query)
{
    if (owner_) co_return co_await owner_->room().store().tasks(std::move(query));
    co_return co_await reading().store().tasks(std::move(query));
}

Async<std::vector<engine::NumberedEvent>> HomeSession::events(Id task)
{
    std::vector<engine::NumberedEvent> all;
    EventReader reader(owner_ ? owner_->room().store() : reading().store(), task, 1);
    while (true) {
        auto page = co_await reader.next();
        if (page.empty()) co_return all;
        for (engine::NumberedEvent& event : page) all.push_back(std::move(event));
    }
}

Async<> HomeSession::settle(Id task)
{
    if (owner_) co_return co_await owner_->settle();
    // whoever has the home now puts the task away; if it is nobody, nothing runs
    const auto client = co_await connect();
    if (!client) co_return;
    Request request{.verb = "put_away"};
    request.args["task"] = to_string(task);
    co_await client->call(request);
}

Async<> HomeSession::leave()
{
    client_.reset();
    if (owner_) co_await owner_->leave();
    owner_.reset();
    if (reading_) co_await reading_->close();
    reading_.reset();
}

Async<> HomeSession::sit_down()
{
    const Instant end = later(loop_.now(), kPatience);
    while (!owner_ && !client_) {
        if (auto lock = storage::HomeLock::try_acquire(home_)) {
            owner_ = std::make_unique<HomeOwner>(loop_, home_, std::move(*lock),
                                                 [this](const std::exception_ptr& failure) { on_failure(failure); });
            if (sandbox_here() == model::SandboxMode::none)
                output_.complain(fmt::format("cadre: {}\n", tools::kBareWarning));
            co_return;
        }
        client_ = co_await connect();
        if (client_) co_return;
        if (loop_.now() >= end) owner_is_silent();
        co_await sleep_for(kPause);
    }
}

Async<std::unique_ptr<ControlClient>> HomeSession::connect()
{
    co_return co_await ControlClient::connect(loop_, home_, kPatience);
}

EngineRoom& HomeSession::reading()
{
    if (!reading_) reading_ = find_journal(loop_, home_);
    if (!reading_) throw Error(Code::not_found, "there are no tasks yet; " + as_typed("cadre run") + " makes one");
    return *reading_;
}

/// What the journal holds is whole; what is in memory is worth nothing any more.
void HomeSession::on_failure(const std::exception_ptr& failure)
{
    ::alarm(1);  // should nobody read our words
    int exit = surface(Code::unavailable).exit;
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        exit = report(output_, error);
    } catch (...) {
        output_.complain("cadre: the journal cannot be written any more\n");
    }
    std::_Exit(exit);
}

void HomeSession::owner_is_silent() const
{
    const auto pid = storage::owner_pid(home_);
    const std::string who = pid ? fmt::format("process {}", *pid) : "another process";
    const std::string ways =
        pid ? fmt::format("; if it is stopped, let it go on (kill -CONT {}) or end it (kill -9 {})", *pid, *pid) : "";
    throw Error(Code::unavailable, fmt::format("{} has the home {} and does not answer{}", who, home_.string(), ways));
}

}  // namespace cadre::cli
