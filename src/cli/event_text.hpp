// Events in words for people: for `tail`, `show` and the progress of `run`.
#pragma once

#include "model/event.hpp"

#include <string>

namespace cadre::cli {

/// What happened, in a line: `researcher calls calculator {"expression":"2+3"}`. Not yet safe for a terminal.
std::string words_of(const model::Event& event);

/// Whether people want to see it while they wait for the answer: calls and their results, and what goes wrong.
bool is_progress(const model::Event& event);

}  // namespace cadre::cli
