// A home's owner drives tasks for whoever waits for them, itself or a client.
#include "base/async.hpp"
#include "base/async_mutex.hpp"
#include "base/channel.hpp"
#include "base/race.hpp"
#include "base/timeout.hpp"
#include "engine/task_state.hpp"
#include "home/home_owner.hpp"
#include "home/task_stream.hpp"
#include "home/telling.hpp"
#include "model/wire_name.hpp"

#include <algorithm>

namespace cadre::home {

using engine::TaskState;

namespace {

/// What a person is asked first.
std::optional<WaitsForPerson> find_question(const std::vector<std::shared_ptr<const TaskState>>& tasks)
{
    for (const auto& task : tasks)
        if (!task->pause_reason && !task->questions.empty())
            return WaitsForPerson{task->id, task->questions.front().request.id};
    return std::nullopt;
}

}  // namespace

Async<AtRest> HomeOwner::perform(engine::Principal by, Drive request, Listener& listener)
{
    if (leaving_) throw Leaving{};
    const Id task = request.task;
    co_await runtime_->queries().entry(by, task, Act::work);
    Drivers::Interest interest(drivers_, task);
    // first: whoever wakes it hears it from its first word on
    auto events = co_await runtime_->commands().watch(by, task, request.after, request.children);
    TaskStream stream(std::move(events), request.after, listener);
    co_await wake(task, request.after == 0 ? engine::Waking::is_new : engine::Waking::goes_on);
    std::shared_ptr<const TaskState> rest;
    Race race(co_await this_context());
    race.beside(stream.send());
    race.add(until_rest(by, request, stream, rest));
    co_await race.over();
    if (!rest) throw Cancelled{};  // all of it was, before anybody waited
    interest.at_rest();
    std::vector<std::string> left_over;
    if (rest->finished()) left_over = runtime_->models().left_over(task);
    // tasks below have scripts of their own, so what is left over here may have been used there
    if (!left_over.empty() &&
        !(co_await runtime_->queries().tasks(std::move(by), {.parent = to_string(task), .limit = 1})).empty())
        left_over.clear();
    co_return AtRest{rest->status, std::move(left_over)};
}

Async<Done> HomeOwner::perform(engine::Principal by, Watch request, Listener& listener)
{
    if (leaving_) throw Leaving{};
    auto events = co_await runtime_->commands().watch(std::move(by), request.task, request.after, request.children);
    TaskStream stream(std::move(events), request.after, listener);
    co_await stream.send();
    co_return Done{};
}

/// Until the task cannot continue without somebody's help.
Async<> HomeOwner::until_rest(engine::Principal by, Drive request, TaskStream& stream,
                              std::shared_ptr<const TaskState>& rest)
{
    engine::Host& host = runtime_->host();
    while (true) {
        co_await host.until_resting(request.task, true);
        const bool is_below = host.stands_still(request.task);
        const auto moves = host.moves_below(request.task);
        const auto state = co_await runtime_->queries().task(by, request.task);
        co_await stream.until_sent(state->end.event_seq);
        std::vector<std::shared_ptr<const TaskState>> tree{state};
        if (is_below) tree = co_await runtime_->queries().open_tree(by, request.task);
        if (is_below && host.moves_below(request.task) != moves) continue;  // somebody has answered meanwhile
        const auto question = find_question(tree);
        const bool waiting = question.has_value();
        const auto due = state->due();
        const bool at_rest =
            state->finished() || state->pause_reason || (waiting && !request.stay) || (is_below && !waiting);
        if (leaving_ && !at_rest) throw Leaving{};  // it was parked because the owner leaves: the next owner drives it
        // without a time and without a question, somebody has stopped it
        if (at_rest || (!waiting && !due)) {
            rest = state;
            co_return;
        }
        if (waiting) {
            co_await stream.say(*question);
            if (!is_below) {
                co_await stream.until_sent(state->end.event_seq + 1);
                continue;
            }
            co_await until_answered(by, request.task, *question);
            if (question->task != request.task) co_await stream.say(WaitsNoMore{});
            continue;
        }
        const Clock& clock = loop_.clock();
        co_await sleep_until(later(clock.instant(), std::max(*due - clock.now(), Millis(1))));
    }
}

/// Or until the task that is driven continues for another reason.
Async<> HomeOwner::until_answered(engine::Principal by, Id driven, WaitsForPerson question)
{
    engine::Host& host = runtime_->host();
    while (const auto moves = host.moves_below(driven)) {
        const auto state = co_await runtime_->queries().task(by, question.task);
        const auto is_this = [&](const engine::OpenQuestion& one) { return one.request.id == question.request; };
        if (std::ranges::none_of(state->questions, is_this)) co_return;
        co_await host.until_moved(driven, *moves);
    }
}

/// What the drives of all tasks share.
struct HomeOwner::AllDrives {
    Listener& listener;
    Channel<bool> waking{engine::kMaxWaking};  // full: so many journals are being read
    AsyncMutex telling{};
};

/// It begins by itself once those before it have ended, as long as somebody is here to run it.
Async<bool> HomeOwner::is_turn_that_waits(engine::Principal by, const storage::TaskEntry& entry)
{
    co_return !entry.session.empty() &&
        engine::is_queued(*co_await runtime_->queries().task(std::move(by), entry.task));
}

Async<DrivenTasks> HomeOwner::perform(engine::Principal by, DriveAll, Listener& listener)
{
    if (leaving_) throw Leaving{};
    engine::expect_may(by, Act::work);
    const auto open = co_await runtime_->queries().tasks(by, {.open_only = true, .limit = SIZE_MAX});
    AllDrives all{listener};
    DrivenTasks driven;
    Race race(co_await this_context());
    for (const storage::TaskEntry& entry : open) {
        const bool pending = entry.status == model::wire_name(model::TaskStatus::pending);
        if (drivers_.has(entry.task) || (pending && !co_await is_turn_that_waits(by, entry))) continue;
        ++driven.tasks;
        race.beside(drive_one(by, entry.task, all));
    }
    co_await race.over();
    co_return driven;
}

/// A task that cannot be read must not keep the others from continuing.
Async<> HomeOwner::drive_one(engine::Principal by, Id task, AllDrives& all)
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
    co_await runtime_->host().until_resting(task, true);
    if (leaving_) throw Leaving{};
    interest.at_rest();

    const auto turn = co_await all.telling.lock();
    const auto entry = co_await runtime_->store().find_task(task);
    std::string status = entry ? entry->status : "";
    if (runtime_->host().stands_still(task)) {
        const auto question = find_question(co_await runtime_->queries().open_tree(std::move(by), task));
        status = model::wire_name(question ? model::TaskStatus::waiting : model::TaskStatus::paused);
    }
    co_await all.listener.hear(TaskAtRest{task, std::move(status), std::move(problem)});
}

Async<> HomeOwner::wake(Id task, engine::Waking waking)
{
    co_await until_parked(task);
    co_await runtime_->host().wake(task, waking);
}

}  // namespace cadre::home
