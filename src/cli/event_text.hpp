// Events in words for people: for `tail`, `show` and the progress of `run`.
#pragma once

#include "model/event.hpp"

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::cli {

/// Nothing for an event that only a newer release knows.
std::optional<model::Event> event_from(std::string_view json);
std::optional<model::Event> event_from(const boost::json::value& json);

/// What happened, in a line: `researcher calls calculator {"expression":"2+3"}`. Not yet safe for a terminal.
std::string words_of(const model::Event& event);
/// The same of an event as JSON, whoever wrote it.
std::string words_of(std::string_view json);

/// Whether people want to see it while they wait for the answer: calls and their results, and what goes wrong.
bool is_progress(const model::Event& event);

}  // namespace cadre::cli
