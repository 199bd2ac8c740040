// Rehearsal: a pattern run against recorded outcomes with performing switched off. Nothing leaves, nothing is written.
#pragma once

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/signal.hpp"
#include "engine/pattern.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"

#include <string>
#include <vector>

namespace cadre::engine {

class Rehearsal final : RunOwner {
public:
    /// A journal that nobody keeps: a rehearsal has nothing to say.
    class NoPort final : public storage::Port {
    public:
        void append(storage::Record&&, storage::Receipt&, std::optional<storage::TaskEntry>&&) override {}
    };

    /// `reuse`, where it is given, decides which recorded outcomes count.
    Rehearsal(const Env& env, const Pattern& pattern, TaskState view, std::vector<storage::Record> records,
              Agents agents, History history, Reuse* reuse = nullptr);

    /// In `sent`. Finished nodes are then entered, not skipped: models are asked in them too.
    void keep_requests() { keeps_requests_ = true; }
    /// Until the pattern has ended, or every branch of it wants something that is not recorded.
    Async<> perform();

    bool ended() const { return ended_; }
    RunState& state() { return state_; }

    std::string reply;
    std::string failure;
    RehearsedRequests sent;

private:
    Async<> drive();

    void on_parkable() noexcept override { changed_.notify(); }
    void on_durable(std::uint32_t) noexcept override {}
    void on_refused(const std::exception_ptr&) noexcept override {}
    void on_chunk(const model::StreamChunk&) noexcept override {}
    RehearsedRequests* requests() noexcept override { return keeps_requests_ ? &sent : nullptr; }
    Async<> start_child(Id child, TaskSpec spec) override;
    Async<std::optional<EndedTask>> find_ended(Id child) override;
    void on_orphan(const Id&, std::uint32_t) noexcept override {}
    Async<Agents> team_of(std::string config) override;

    const Pattern& pattern_;
    NoPort port_;
    RunState state_;
    Run run_;
    bool ended_ = false;
    bool keeps_requests_ = false;
    Signal changed_;
    AsyncScope scope_;
};

}  // namespace cadre::engine
