#include "engine/event_reader.hpp"

#include "base/async.hpp"
#include "engine/numbered_event.hpp"

#include <utility>

namespace cadre::engine {
namespace {

using storage::RecordKind;

constexpr std::size_t kPage = 256;

}  // namespace

Async<std::vector<EventPtr>> EventReader::next()
{
    std::vector<EventPtr> events;
    while (events.empty()) {
        const auto records = co_await store_.read(task_, next_seq_, kPage);
        if (records.empty()) break;
        for (const storage::Record& record : records) {
            if (record.event_seq >= first_)
                for (EventPtr& event : numbered_events(record, events_))
                    if (event->number >= first_) events.push_back(std::move(event));
            events_ = record.event_seq;
            next_seq_ = record.seq + 1;
            terminal_ = terminal_ || record.kind == RecordKind::completed || record.kind == RecordKind::failed ||
                        record.kind == RecordKind::cancelled;
        }
        ended_ = terminal_ && records.size() < kPage;  // something may have happened behind the end
    }
    co_return events;
}

}  // namespace cadre::engine
