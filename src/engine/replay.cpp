// Replaying a run against its journal with performing switched off.
#include "base/async.hpp"
#include "engine/commands.hpp"
#include "engine/events.hpp"
#include "engine/host.hpp"
#include "engine/queries.hpp"
#include "engine/rehearsal.hpp"

namespace cadre::engine {

using storage::Record;

namespace {

/// Then its words are not comparable.
bool is_redacted(const TaskState& state)
{
    return state.spec.imported && state.spec.imported->redacted;
}

/// What the replay makes different from how the journal says the task ended.
std::string difference(const TaskState& recorded, Rehearsal& rehearsal)
{
    if (rehearsal.state().diverged()) return rehearsal.state().view().pause_text;
    if (const Record* unused = rehearsal.state().recorded().oldest_unused(); unused && !recorded.cancel_requested)
        return "the journal holds " + unused->path + " (record " + std::to_string(unused->seq) +
               "), which the code no longer asks for";
    switch (recorded.status) {
    case model::TaskStatus::completed:
        if (!rehearsal.ended()) return "the task has ended, but the code continues";
        if (!rehearsal.failure.empty()) return "the task completed, but the code fails: " + rehearsal.failure;
        if (is_redacted(recorded)) return "";
        return recorded.reply && recorded.reply->text == rehearsal.reply ? "" : "the code gives another answer";
    case model::TaskStatus::failed:
        if (!rehearsal.ended()) return "the task has failed, but the code continues";
        return rehearsal.failure == recorded.error || (is_redacted(recorded) && !rehearsal.failure.empty())
                   ? ""
                   : "the task failed, but the code " + (rehearsal.failure.empty()
                                                             ? std::string("does not")
                                                             : "fails otherwise: " + rehearsal.failure);
    default: return "";
    }
}

}  // namespace

Async<std::unique_ptr<Rehearsal>> Commands::rehearse(const TaskState& recorded, const std::vector<Record>& records,
                                                     bool with_requests)
{
    auto agents = co_await host_.teams().agents_for(recorded.spec);
    auto history = co_await history_of(store_, recorded.spec.history);
    auto rehearsal = std::make_unique<Rehearsal>(host_.env(), host_.patterns().get(recorded.spec.pattern), recorded,
                                                 records, std::move(agents), std::move(history));
    if (with_requests) rehearsal->keep_requests();
    co_await rehearsal->perform();
    co_return rehearsal;
}

Async<std::vector<SentRequest>> Commands::requests(Principal by, Id task)
{
    const auto records = co_await queries_.records(std::move(by), task);
    const TaskState recorded = fold(records);
    const auto rehearsal = co_await rehearse(recorded, records, true);
    co_return sent_requests(records, rehearsal->sent);
}

Async<ReplayReport> Commands::replay(Principal by, Id task)
{
    const auto records = co_await queries_.records(std::move(by), task);
    const TaskState recorded = fold(records);
    const auto rehearsed = co_await rehearse(recorded, records, false);
    Rehearsal& rehearsal = *rehearsed;

    ReplayReport report{.task = task, .records = records.size(), .finished = recorded.finished()};
    for (const Record& record : records) report.events += events_of(record).size();
    report.diverged = difference(recorded, rehearsal);
    if (!recorded.finished()) report.open = rehearsal.state().at_the_gate();
    co_return report;
}

}  // namespace cadre::engine
