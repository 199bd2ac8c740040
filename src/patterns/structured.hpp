// An answer of a model as JSON: what it must meet, and what happens when it does not.
#pragma once

#include "base/async_fwd.hpp"

#include <boost/json/value.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::engine {
class Run;
struct Agent;
}  // namespace cadre::engine

namespace cadre::patterns {

struct WantedAnswer {
    std::string schema{};  // JSON Schema
    int attempts = 3;
    /// What is wrong with an answer that fits the schema; empty: nothing.
    std::function<std::string(const boost::json::value&)> problem{};
};

struct StructuredAnswer {
    std::optional<boost::json::value> value{};
    std::string problem{};  // of the last attempt, when there is no value
};

/// The answer of `agent` to what `run` was told. One that breaks a rule, and a call that fails, are attempts; the exact problem is what the
/// model hears next. It calls no tools. Throws only for limits of the whole run.
Async<StructuredAnswer> structured_answer(engine::Run& run, engine::Agent agent, WantedAnswer wanted);

/// Whoever counts attempts asks a model once for each, unless its own policy says otherwise.
void retry_no_calls(engine::Agent& agent);

/// The text of an answer as JSON: one fence around all of it is taken off. Throws Error that says what is wrong.
boost::json::value json_answer(std::string_view text);

}  // namespace cadre::patterns
