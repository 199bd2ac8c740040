#include "engine/active_task.hpp"

#include "base/log.hpp"
#include "base/timeout.hpp"
#include "engine/body.hpp"
#include "engine/host_loading.hpp"
#include "engine/spent.hpp"

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

ActiveTask::ActiveTask(Host& host, const Pattern& pattern, TaskState&& state, std::vector<storage::Record>&& records,
                       std::uint32_t epoch, Agents agents, History history, std::shared_ptr<Account> account)
    : host_(host),
      pattern_(pattern),
      state_(host.env(), *this, *this, std::move(state), std::move(records), epoch, std::move(agents),
             std::move(history), std::move(account)),
      run_(state_, ""),
      since_(host.env().loop.now()),
      scope_(host.env().loop)
{}

void ActiveTask::start()
{
    state_.begin();
    scope_.spawn(drive());
}

/// What was due already when it came into memory it knows of, and could not do: it waits for a seat, say, whose owner asks a person.
std::optional<Instant> ActiveTask::due() const
{
    const TaskState& view = state_.view();
    if (over_ || view.pause_reason) return std::nullopt;  // one that may not continue would be woken again and again
    std::optional<Instant> earliest;
    const auto consider = [&](const std::string& path, Time due, Time since) {
        const Instant at = host_.deadlines_.of(view.id, path, due, due - since);
        if ((is_held_ || at > since_) && (!earliest || at < *earliest)) earliest = at;
    };
    for (const OpenQuestion& question : view.questions)
        if (question.due) consider(question.path, *question.due, question.asked_at);
    for (const OpenTimer& timer : view.timers) consider(timer.path, timer.due, timer.since);
    return earliest;
}

Async<> ActiveTask::drive()
{
    std::optional<model::Reply> reply;
    std::optional<Error> failure;
    bool cancelled = false;
    try {
        reply = co_await pattern_.run(run_);
    } catch (const Cancelled&) {
        cancelled = true;
    } catch (const Failed& error) {
        failure = error;
        reply = error.reply;
    } catch (const Error& error) {
        failure = error;
    } catch (const std::exception& error) {
        host_.env().log.error(error.what(), {{"task", to_string(id())}});
        failure = Error(Code::internal, "an internal failure; the log has it");
    }
    if (!state_.abandoned()) {
        const auto* unused = state_.replaying() ? state_.recorded().oldest_unused() : nullptr;
        if (unused && !state_.view().cancel_requested && !is_mutant(Mutant::unused_records_ignored)) {
            state_.diverge("the run ended although the journal still holds " + unused->path + " (record " +
                           std::to_string(unused->seq) + ")");
            co_await RunState::Never(state_);
        }
        end(std::move(reply), failure, cancelled);
        try {
            co_await state_.journal().until_durable(state_.journal().seq(), false);  // a cancelled run waits too
        } catch (const Error&) {
            // refused: the host knows
        }
    }
    over_ = true;
    host_.env().loop.post(*this);
}

/// A run whose end cannot be written as it was has failed all the same; if not even that can be, it is left as it is in the journal.
void ActiveTask::end(std::optional<model::Reply> reply, const std::optional<Error>& failure, bool cancelled) noexcept
{
    const auto try_to = [this](auto write) {
        try {
            write();
            return true;
        } catch (const std::exception& error) {
            host_.env().log.error(error.what(), {{"task", to_string(id())}});
            return false;
        }
    };
    const bool is_written = try_to([&] {
        state_.write_deferred();
        record_end(std::move(reply), failure, cancelled);
    });
    if (is_written) return;
    const Error unwritten(Code::internal, "how the run ended cannot be written down; the log says why");
    try_to([&] { record_end(std::nullopt, unwritten, cancelled); });
}

/// The host, not the pattern, says how a task ended: a cancel that was accepted wins, whatever the pattern made of it. A run that
/// was stopped for another reason, because its process ends, has not ended.
void ActiveTask::record_end(std::optional<model::Reply> reply, const std::optional<Error>& failure, bool cancelled)
{
    const TaskState& view = state_.view();
    const bool by_request = view.cancel_requested;
    if (cancelled && !by_request) return;

    const Time now = state_.journal().now();
    const std::int64_t steps = view.steps;
    const std::int64_t ms = std::max(now - view.started_at.value_or(now), Millis{0}).count();
    JournalEntry entry{.events = 1};
    const std::vector<std::string> artifacts = artifacts_of(view);
    const auto with_artifacts = [&](auto body) {
        if (!artifacts.empty()) body.artifacts = artifacts;
        return text_of(body);
    };
    if (by_request) {
        entry.kind = RecordKind::cancelled;
        entry.body = with_artifacts(CancelledBody{.steps = steps, .ms = ms});
    } else if (failure) {
        entry.kind = RecordKind::failed;
        FailedBody body{.steps = steps, .ms = ms, .code = name_of(failure->code()), .message = failure->what()};
        if (reply) {
            reply->ok = false;
            if (!reply->error) reply->error = failure->what();
            reply->elapsed_ms = ms;
            body.reply = *reply;
        }
        entry.body = with_artifacts(body);
        entry.events = 2;
    } else {
        entry.kind = RecordKind::completed;
        reply->elapsed_ms = ms;
        entry.body = with_artifacts(CompletedBody{.steps = steps, .ms = ms, .reply = *reply});
    }
    state_.append_change(std::move(entry));
}

void ActiveTask::append(Record&& record, storage::Receipt& receipt, std::optional<storage::TaskEntry>&& entry)
{
    if (host_.listener_) host_.listener_->on_append(record);
    host_.hub_.appended(record);
    host_.port_->append(std::move(record), receipt, std::move(entry));
}

void ActiveTask::on_parkable() noexcept
{
    host_.env().loop.post(*this);
}

void ActiveTask::on_durable(std::uint32_t seq) noexcept
{
    host_.hub_.durable(id(), seq);
    host_.changes_.notify(id());
    if (host_.listener_) host_.listener_->on_progress(id(), seq);
}

void ActiveTask::on_refused(const std::exception_ptr& error) noexcept
{
    host_.refused(id(), error);
    host_.hub_.forget(id());
    abandon();
    host_.changes_.notify(id());
}

void ActiveTask::on_chunk(const model::StreamChunk& chunk) noexcept
{
    Above above;
    for (const Account* account = state_.account().parent().get(); account; account = account->parent().get()) {
        const auto place = host_.active_.find(account->task());
        above.emplace_back(account->task(),
                           place == host_.active_.end() ? 0 : place->second->state().journal().event_seq());
    }
    host_.hub_.chunk(id(), chunk, state_.journal().event_seq(), above);
}

// ---- children and teams: whatever the store cannot do just now it can do later, and no task fails by that ----

namespace {

template <class T>
Async<T> until_available(const bool& closing, std::function<Async<T>()> act)
{
    constexpr Millis kPause{500};
    while (true) {
        try {
            co_return co_await act();
        } catch (const Error& error) {
            if (error.code() == Code::conflict || !is_for_now(error) || closing) throw;
        }
        co_await sleep_for(kPause);
    }
}

}  // namespace

Async<> ActiveTask::start_child(Id child, TaskSpec spec)
{
    return until_available<void>(host_.closing_,
                                 [this, child, spec = std::move(spec)] { return start_once(child, spec); });
}

Async<> ActiveTask::start_once(Id child, TaskSpec spec)
{
    try {
        if (!co_await host_.create(state_.view().tenant, child, spec, std::nullopt)) co_await host_.wake(child);
    } catch (const Error& error) {
        if (error.code() != Code::conflict) throw;
        // another owner has it, or had it when it died: it is waited for all the same
        host_.insist(child, [&host = host_, id = id(), tenant = state_.view().tenant, child, spec] {
            return host.start_delegated(tenant, id, child, spec);
        });
    }
}

Async<std::optional<EndedTask>> ActiveTask::find_ended(Id child)
{
    return until_available<std::optional<EndedTask>>(host_.closing_, [this, child] { return look_for_end(child); });
}

Async<std::optional<EndedTask>> ActiveTask::look_for_end(Id child)
{
    const auto entry = co_await host_.env().store.find_task(child);
    if (!entry || entry->open) co_return std::nullopt;
    if (entry->tenant != state_.view().tenant)  // its id follows from ours: who knew that has put another task there
        throw Error(Code::conflict, "task " + to_string(child) + " is not the one that was delegated");
    const auto records = co_await host_.env().store.read(child);
    EndedTask ended{.state = fold(records)};
    const TreeSpending tree = co_await spent_below(host_.env().store, records, ended.state);
    if (tree.is_final) ended.spent = tree.spent;
    co_return ended;
}

Async<Agents> ActiveTask::team_of(std::string config)
{
    TaskSpec spec = state_.view().spec;
    spec.config = std::move(config);
    return until_available<Agents>(host_.closing_,
                                   [this, spec = std::move(spec)] { return host_.teams_.agents_for(spec); });
}

void ActiveTask::on_short(const Id& above, const Spending& needed) noexcept
{
    host_.report_short(above, needed);
}

Instant ActiveTask::deadline_of(const Loop&, std::string_view path, Time due, Millis whole)
{
    return host_.deadlines_.of(id(), path, due, whole);
}

void ActiveTask::on_orphan(const Id& child, std::uint32_t seq) noexcept
{
    host_.cancel_orphan_after(id(), child, seq);
}

void ActiveTask::run() noexcept
{
    if (!over_ && !state_.at_rest()) return;  // something came in meanwhile
    if (over_ && !state_.abandoned()) host_.on_ended(state_.view());
    host_.remove(*this);
}

}  // namespace cadre::engine
