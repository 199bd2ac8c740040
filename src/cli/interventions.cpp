#include "cli/interventions.hpp"

#include "cli/event_text.hpp"
#include "cli/task_text.hpp"
#include "engine/body.hpp"
#include "engine/events.hpp"

#include <fmt/format.h>

#include <variant>

namespace cadre::cli {

std::vector<std::string> interventions_in(std::span<const storage::Record> records, Time now)
{
    std::vector<std::string> lines;
    for (const storage::Record& record : records)
        for (const model::Event& event : engine::public_events(record, engine::Body(record)))
            if (const auto* one = std::get_if<model::UserInterventionEvent>(&event))
                lines.push_back(fmt::format("{}{}: {}", local_time(record.at, now),
                                            one->user_id ? " " + *one->user_id : "", words_of(event)));
    return lines;
}

}  // namespace cadre::cli
