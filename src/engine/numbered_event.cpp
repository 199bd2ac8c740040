#include "engine/numbered_event.hpp"

#include "engine/body.hpp"
#include "engine/events.hpp"
#include "model/write.hpp"

#include <fmt/core.h>

namespace cadre::engine {

std::vector<EventPtr> numbered_events(const storage::Record& record, std::uint32_t before)
{
    std::vector<EventPtr> events;
    const Body body(record);
    for (model::Event& event : public_events(record, body))
        events.push_back(std::make_shared<NumberedEvent>(++before, std::move(event)));
    return events;
}

std::string line_of(const NumberedEvent& event)
{
    return fmt::format("{{\"seq\":{},\"event\":{}}}\n", event.number, model::to_json_text(event.event));
}

}  // namespace cadre::engine
