// Document 004 (AgentX): its steps, as history.jsonl and the REST API show them. Its parts, events, chunks and team
// configuration need no view: the kernel has them under the document's own names.
#pragma once

#include "base/time.hpp"
#include "model/part.hpp"
#include "model/step.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cadre::model::agentx {

struct TaskStep {
    std::string step_id{};
    Time timestamp{};
    std::string agent_name{};
    std::optional<std::string> task_id{};  // an item of plan.json, not the task (C-12)
    std::optional<std::string> parent_step_id{};
    std::string execution_mode = "autonomous";
    boost::json::object memory_context{};
    std::vector<Part> parts{};
    boost::json::object metadata{};

    bool operator==(const TaskStep&) const = default;
};
const Entity& describe(const TaskStep*);

/// Role and level follow from the agent and the parts: results are a tool's, the agents `user` and `system` are those
/// roles, a failed part is an error. Where a step says otherwise, and for its duration, `metadata.cadre` says so.
TaskStep to_task_step(const Step& step);

/// The way back, without loss: the caller says what the document has no place for (the task, the place in its history). A
/// `metadata.cadre` that is not ours stays what it is.
Step from_task_step(const TaskStep& step, std::string task, std::int64_t seq);

/// Everything that document 004 describes, and what we describe for it: for schemas and reference pages.
std::vector<const Entity*> entities();

}  // namespace cadre::model::agentx
