// Replaying a run against its journal with performing switched off.
#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/signal.hpp"
#include "engine/commands.hpp"
#include "engine/events.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

/// A journal that nobody keeps: a replay has nothing to say.
class NoPort final : public storage::Port {
public:
    void append(Record, storage::Receipt&, std::optional<storage::TaskEntry>) override {}
};

class Rehearsal final : RunOwner {
public:
    Rehearsal(const Env& env, const Pattern& pattern, TaskState recorded, std::vector<Record> records,
              std::vector<Agent> agents)
        : pattern_(pattern),
          state_(env, port_, *this, std::move(recorded), std::move(records), 0, std::move(agents)),
          run_(state_, ""),
          scope_(env.loop)
    {
        state_.rehearse();
    }

    Async<> perform()
    {
        state_.begin();
        scope_.spawn(drive());
        while (!ended_ && !state_.at_rest()) co_await changed_.wait();
    }

    bool ended() const { return ended_; }
    RunState& state() { return state_; }

    std::string reply;
    std::string failure;

private:
    Async<> drive()
    {
        try {
            reply = (co_await pattern_.run(run_)).text;
        } catch (const Cancelled&) {
            failure = "cancelled";
        } catch (const std::exception& error) {
            failure = error.what();
        }
        ended_ = true;
        changed_.notify();
    }

    void on_parkable() noexcept override { changed_.notify(); }
    void on_durable(std::uint32_t) noexcept override {}
    void on_refused(const std::exception_ptr&) noexcept override {}
    void on_chunk(const model::StreamChunk&) noexcept override {}
    Async<> start_child(Id, TaskSpec) override { throw Error(Code::internal, "a replay starts nothing"); }
    Async<std::optional<TaskState>> find_ended(Id) override { throw Error(Code::internal, "a replay asks nobody"); }
    void on_orphan(const Id&, std::uint32_t) noexcept override {}

    const Pattern& pattern_;
    NoPort port_;
    RunState state_;
    Run run_;
    bool ended_ = false;
    Signal changed_;
    AsyncScope scope_;
};

/// What the replay makes different from how the journal says the task ended.
std::string difference(const TaskState& recorded, Rehearsal& rehearsal)
{
    if (rehearsal.state().diverged()) return rehearsal.state().view().pause_text;
    if (const Record* unused = rehearsal.state().recorded().oldest_unused(); unused && !recorded.cancel_requested)
        return "the journal holds " + unused->path + " (record " + std::to_string(unused->seq) +
               "), which the code no longer asks for";
    switch (recorded.status) {
    case model::TaskStatus::completed:
        if (!rehearsal.ended()) return "the task has ended, but the code goes on";
        if (!rehearsal.failure.empty()) return "the task completed, but the code fails: " + rehearsal.failure;
        return recorded.reply && recorded.reply->text == rehearsal.reply ? "" : "the code gives another answer";
    case model::TaskStatus::failed:
        if (!rehearsal.ended()) return "the task has failed, but the code goes on";
        return rehearsal.failure == recorded.error
                   ? ""
                   : "the task failed, but the code " + (rehearsal.failure.empty()
                                                             ? std::string("does not")
                                                             : "fails otherwise: " + rehearsal.failure);
    default: return "";
    }
}

}  // namespace

Async<ReplayReport> Commands::replay(Id task)
{
    const auto records = co_await this->records(task);
    const TaskState recorded = fold(records);
    auto agents = co_await host_.agents_for(recorded.spec);
    Rehearsal rehearsal(host_.env(), host_.patterns().get(recorded.spec.pattern), recorded, records, std::move(agents));
    co_await rehearsal.perform();

    ReplayReport report{.task = task, .records = records.size(), .finished = recorded.finished()};
    for (const Record& record : records) report.events += events_of(record).size();
    report.diverged = difference(recorded, rehearsal);
    if (!recorded.finished()) report.open = rehearsal.state().at_the_gate();
    co_return report;
}

}  // namespace cadre::engine
