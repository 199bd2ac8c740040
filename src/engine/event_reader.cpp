#include "engine/event_reader.hpp"

#include "base/async.hpp"
#include "engine/events.hpp"

#include <utility>

namespace cadre::engine {
namespace {

using storage::RecordKind;

constexpr std::size_t kPage = 256;

}  // namespace

Async<std::vector<engine::NumberedEvent>> EventReader::next()
{
    std::vector<engine::NumberedEvent> events;
    while (events.empty()) {
        const auto records = co_await store_.read(task_, next_seq_, kPage);
        if (records.empty()) break;
        for (const storage::Record& record : records) {
            std::uint32_t number = events_;
            for (std::string& json : engine::events_of(record))
                if (++number >= first_) events.push_back({number, std::move(json)});
            events_ = record.event_seq;
            next_seq_ = record.seq + 1;
            ended_ = ended_ || record.kind == RecordKind::completed || record.kind == RecordKind::failed ||
                     record.kind == RecordKind::cancelled;
        }
    }
    co_return events;
}

}  // namespace cadre::engine
