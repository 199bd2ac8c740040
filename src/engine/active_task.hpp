// ActiveTask: a task in memory: its run, and the coroutine of its pattern. Internal to the host.
#pragma once

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "engine/host.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/run_waits.hpp"

namespace cadre::engine {

class ActiveTask final : RunOwner, Job, storage::Port {
public:
    ActiveTask(Host& host, const Pattern& pattern, TaskState&& state, std::vector<storage::Record>&& records,
               std::uint32_t epoch, Agents agents, History history, std::shared_ptr<Account> account);

    void start();
    void cancel() noexcept { scope_.cancel(); }
    /// Stops without ending: the task goes on from its journal, elsewhere or later.
    void abandon() noexcept
    {
        state_.abandon();
        scope_.cancel();
    }

    /// It begins nothing more, and leaves the memory.
    void hold() noexcept
    {
        is_held_ = true;
        state_.hold();
    }

    RunState& state() { return state_; }
    const Id& id() const { return state_.view().id; }
    /// The pattern has ended, and how is on the disk or cannot be written.
    bool over() const { return over_; }
    /// When it must be in memory again by itself; nothing: only others can help it on.
    std::optional<Instant> due() const;

private:
    Async<> drive();
    void end(std::optional<model::Reply> reply, const std::optional<Error>& failure, bool cancelled) noexcept;
    void record_end(std::optional<model::Reply> reply, const std::optional<Error>& failure, bool cancelled);

    void append(storage::Record&& record, storage::Receipt& receipt,
                std::optional<storage::TaskEntry>&& entry) override;
    void on_parkable() noexcept override;
    void on_durable(std::uint32_t seq) noexcept override;
    void on_refused(const std::exception_ptr& error) noexcept override;
    void on_chunk(const model::StreamChunk& chunk) noexcept override;
    Async<> start_child(Id child, TaskSpec spec) override;
    Async<std::optional<EndedTask>> find_ended(Id child) override;
    void on_orphan(const Id& child, std::uint32_t seq) noexcept override;
    Async<Agents> team_of(std::string config) override;
    Async<> start_once(Id child, TaskSpec spec);
    Async<std::optional<EndedTask>> look_for_end(Id child);
    void on_short(const Id& above, const Spending& needed) noexcept override;
    Instant deadline_of(const Loop& loop, std::string_view path, Time due, Millis whole) override;
    void run() noexcept override;  // leaves the host: dies

    Host& host_;
    const Pattern& pattern_;
    RunState state_;
    Run run_;
    const Instant since_;  // it is in memory
    bool is_held_ = false;
    bool over_ = false;
    AsyncScope scope_;  // last: the coroutines die before what they use
};

}  // namespace cadre::engine
