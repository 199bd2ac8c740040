// A home's owner drives tasks for whoever waits for them, itself or a client.
#include "base/async.hpp"
#include "base/channel.hpp"
#include "base/json_writer.hpp"
#include "base/scopes.hpp"
#include "base/timeout.hpp"
#include "engine/task_state.hpp"
#include "home/home_owner.hpp"
#include "home/task_stream.hpp"
#include "model/wire_name.hpp"

#include <fmt/core.h>

namespace cadre::home {

using engine::TaskState;

namespace {

std::string rest_json(const TaskState& state, const std::vector<std::string>& left_over)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("status", model::wire_name(state.status)).key("left_over").begin_array();
    for (const std::string& line : left_over) json.value(line);
    json.end_array().end_object();
    return text;
}

}  // namespace

Async<std::string> HomeOwner::drive(Id task, std::uint32_t after, bool stay, LineSink& sink)
{
    if (leaving_) throw Leaving{};
    Drivers::Interest interest(drivers_, task);
    co_await wake(task);

    TaskStream stream(runtime_->commands(), task, after, sink);
    std::optional<TaskState> rest;
    std::exception_ptr failure;
    AsyncScope work(co_await this_context());
    work.spawn(ends_others(work, stream.send(), failure, false));
    work.spawn(ends_others(work, until_rest(task, stay, stream, rest), failure, true));
    co_await finished(work);
    if (failure) std::rethrow_exception(failure);
    interest.at_rest();
    co_return rest_json(*rest, rest->finished() ? runtime_->models().left_over(task) : std::vector<std::string>{});
}

/// Until the task can go no further without somebody's help.
Async<> HomeOwner::until_rest(Id task, bool stay, TaskStream& stream, std::optional<TaskState>& rest)
{
    while (true) {
        co_await runtime_->host().until_resting(task);
        const TaskState state = co_await runtime_->commands().task(task);
        co_await stream.until_sent(state.end.event_seq);
        const bool waiting = state.status == model::TaskStatus::waiting;
        if (state.finished() || state.pause_reason || (waiting && !stay)) {
            rest = state;
            co_return;
        }
        if (leaving_) throw Leaving{};
        if (waiting) {
            co_await stream.say("{\"waiting\":true}\n");
            co_await stream.until_sent(state.end.event_seq + 1);
            continue;
        }
        const auto due = state.due();
        if (!due) {  // somebody has stopped it
            rest = state;
            co_return;
        }
        const Clock& clock = loop_.clock();
        co_await sleep_until(later(clock.instant(), std::max(*due - clock.now(), Millis(1))));
    }
}

/// What the drives of all tasks share.
struct HomeOwner::DriveAll {
    LineSink& sink;
    Channel<bool> waking{engine::kMaxWaking};  // full: so many journals are being read
    Channel<bool> telling{1};
};

Async<std::string> HomeOwner::drive_all(LineSink& sink)
{
    if (leaving_) throw Leaving{};
    const auto open = co_await runtime_->store().tasks({.open_only = true, .limit = SIZE_MAX});
    DriveAll all{sink};
    std::exception_ptr failure;
    AsyncScope work(co_await this_context());
    std::size_t tasks = 0;
    for (const storage::TaskEntry& entry : open) {
        if (drivers_.has(entry.task)) continue;
        ++tasks;
        work.spawn(ends_others(work, drive_one(entry.task, all), failure, false));
    }
    co_await finished(work);
    if (failure) std::rethrow_exception(failure);
    co_return fmt::format("{{\"tasks\":{}}}", tasks);
}

/// A task that cannot be read must not keep the others from going on.
Async<> HomeOwner::drive_one(Id task, DriveAll& all)
{
    Drivers::Interest interest(drivers_, task);
    std::string problem;
    co_await all.waking.send(true);
    try {
        co_await wake(task);
    } catch (const Error& error) {
        problem = error.what();
    }
    co_await all.waking.receive();
    co_await runtime_->host().until_resting(task);
    if (leaving_) throw Leaving{};
    interest.at_rest();

    co_await all.telling.send(true);
    const auto entry = co_await runtime_->store().find_task(task);
    std::string line;
    JsonWriter json(line);
    json.begin_object().field("task", to_string(task)).field("status", entry ? entry->status : "");
    if (!problem.empty()) json.field("error", problem);
    json.end_object();
    co_await all.sink.take(line + "\n");
    co_await all.telling.receive();
}

Async<> HomeOwner::wake(Id task)
{
    co_await until_put_away(task);
    co_await runtime_->host().wake(task);
}

}  // namespace cadre::home
