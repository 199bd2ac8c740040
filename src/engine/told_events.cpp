#include "engine/told_events.hpp"

#include "base/async.hpp"
#include "engine/body.hpp"
#include "engine/events.hpp"
#include "engine/numbered_event.hpp"
#include "engine/step_id.hpp"

#include <iterator>
#include <optional>
#include <utility>

namespace cadre::engine {
namespace {

using storage::Record;
using storage::RecordKind;

constexpr std::size_t kToldAtOnce = 64;

bool ends_task(RecordKind kind)
{
    return kind == RecordKind::completed || kind == RecordKind::failed || kind == RecordKind::cancelled;
}

/// The step that the record is the end of, if it is one.
std::optional<StepEnd> step_end(const Record& record, const Body& body)
{
    if (effect_of(record) != EffectKind::think) return std::nullopt;
    if (const auto* outcome = body.find<OutcomeBody>()) {
        const auto& think = own_of<ThinkOutcome>(*outcome, record);
        StepEnd end{.step = think.step.str(), .agent = think.agent.str(), .at = record.at};
        end.aborted = outcome->error.is_set() || outcome->cancelled;
        if (!end.aborted) end.text = think.text.str();
        return end;
    }
    if (const auto* failed = body.find<AttemptFailedBody>())
        return StepEnd{.step = step_id_of(record.task, record.path, static_cast<int>(failed->attempt)),
                       .aborted = true,
                       .at = record.at};
    // after a crash nothing but the next attempt says that the one before came to nothing
    const auto* intent = body.find<IntentBody>();
    if (!intent || intent->attempt < 2) return std::nullopt;
    return StepEnd{.step = step_id_of(record.task, record.path, static_cast<int>(intent->attempt) - 1),
                   .agent = agent_of(intent->of).str(),
                   .aborted = true,
                   .at = record.at};
}

void take_in(ToldPage& page, const Record& record)
{
    const Body body(record);
    if (auto end = step_end(record, body)) page.rest.push_back(std::move(*end));
    for (model::Event& event : public_events(record, body)) {
        JournaledEvent told{.event = std::make_shared<NumberedEvent>(++page.counted, std::move(event))};
        told.ends.swap(page.rest);
        page.events.push_back(std::move(told));
    }
    page.counted = record.event_seq;
    page.next_seq = record.seq + 1;
    page.ended = page.ended || ends_task(record.kind);
}

}  // namespace

Async<ToldPage> read_told(storage::Store& store, Id task, std::uint32_t seq, std::uint32_t counted, std::size_t bytes)
{
    ToldPage page{.next_seq = seq, .counted = counted};
    while (page.events.empty() && !page.is_whole) {
        const auto records = co_await store.read(task, page.next_seq, kToldAtOnce);
        page.is_whole = records.size() < kToldAtOnce;
        std::size_t taken = 0;
        for (const Record& record : records) {
            if (taken >= bytes && !page.events.empty()) {
                page.is_whole = false;
                break;
            }
            taken += record.body.size();
            take_in(page, record);
        }
    }
    co_return page;
}

Async<JournalPlace> place_of_event(storage::Store& store, Id task, std::uint32_t number, std::uint32_t last)
{
    // up to the record at `low` there are fewer events, up to the one at `high` there are as many, or it is not there
    std::uint32_t low = 0, high = last + 1, counted = 0;
    while (number > 0 && high - low > 1) {
        const std::uint32_t middle = low + (high - low) / 2;
        const auto records = co_await store.read(task, middle, 1);
        if (!records.empty() && records.front().event_seq < number) {
            low = middle;
            counted = records.front().event_seq;
        } else {
            high = middle;
        }
    }
    co_return JournalPlace{.seq = low + 1, .counted = counted};
}

}  // namespace cadre::engine
