// Traces as text: a timeline with bars, and what happened step by step.
#pragma once

#include "cli/output.hpp"
#include "engine/trace.hpp"

#include <cstddef>
#include <string>

namespace cadre::cli {

struct TraceLook {
    Paint paint{};
    bool utf8 = false;
    std::size_t width = 80;
    Time now{};  // until then what is open has lasted
};

/// A line for each span: what, when as a bar, how long, tokens, money.
std::string timeline(const engine::Trace& trace, const TraceLook& look);

/// Model calls with what they said and the calls that they asked for, questions, pauses.
std::string step_page(const engine::Trace& trace, const TraceLook& look);

/// `{"task":…,"spans":[…]}`; times are milliseconds since the beginning. What looks like a secret is masked.
std::string trace_json(const engine::Trace& trace, Time now, std::string_view status = {});

}  // namespace cadre::cli
