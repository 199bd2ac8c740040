// What came of a run, as its journal says it.
#pragma once

#include "engine/task_state.hpp"
#include "engine/trace.hpp"
#include "llm/model.hpp"
#include "model/task.hpp"

#include <boost/json/object.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::testing {

/// Of types of events; people leave it out.
inline constexpr std::string_view kEventPrefix = "event_";

struct SeenCall {
    std::string tool{};
    std::string agent{};
    boost::json::object args{};
    std::string result{};  // or what went wrong
    bool failed = false;
};

struct Outcome {
    model::TaskStatus status = model::TaskStatus::pending;
    std::string answer{};
    std::string error{};
    std::vector<SeenCall> calls{};
    std::vector<std::string> events{};  // types, without their prefix
    llm::Usage usage{};
    int steps = 0;                                              // model calls
    std::map<std::string, std::optional<std::string>> files{};  // that are expected: what they hold, if they are there
    std::vector<std::string> written{};                         // paths of all files
    boost::json::object state{};                                // of a workflow, at the end; where it is expected
    std::vector<std::string> open_questions{};
    std::vector<std::string> unused_answers{};
    std::vector<std::string> left_over{};    // entries of the script
    std::vector<std::string> left_faults{};  // of tools
};

/// The tool calls of a task and of all that it delegated, in the order in which they began.
std::vector<SeenCall> calls_in(const engine::Trace& trace);

/// What the state of a task says; the rest is as in a fresh one.
Outcome outcome_of(const engine::TaskState& state);

}  // namespace cadre::testing
