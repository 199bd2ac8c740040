// Bodies of document 004's REST requests, where the document names only the route (S-02, S-04, C-15).
#pragma once

#include "model/control_events.hpp"
#include "model/human.hpp"
#include "model/plan.hpp"
#include "model/task.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cadre::model::agentx {

/// POST /tasks
struct CreateTask {
    std::optional<std::string> description{};
    std::optional<std::string> initial_prompt{};  // another name for it
    std::optional<std::string> team{};
    std::optional<std::string> workflow{};
    std::optional<std::string> agent{};
    std::optional<ExecutionMode> execution_mode{};
    std::optional<std::string> kind{};
    std::optional<int> retention_days{};
    boost::json::object metadata{};

    bool operator==(const CreateTask&) const = default;
};
const Entity& describe(const CreateTask*);
/// What is asked, under whichever name it came.
const std::string& description_of(const CreateTask& request);

/// POST /tasks/{task_id}/hitl/{request_id}/respond, in 004's words (response_type, response_data) or 000's (action, message,
/// state_updates).
struct Respond {
    std::optional<HumanVerb> response_type{};
    std::optional<HumanVerb> action{};
    std::string message{};
    boost::json::object response_data{};
    boost::json::object state_updates{};

    bool operator==(const Respond&) const = default;
};
const Entity& describe(const Respond*);
/// One answer out of either wording. Who answered, and when, is for the caller to say.
HumanAnswer answer_of(const Respond& response);

/// POST /tasks/{task_id}/intervene
struct Intervene {
    InterventionType intervention_type = InterventionType::instruction;
    std::optional<std::string> instruction{};
    boost::json::object details{};

    bool operator==(const Intervene&) const = default;
};
const Entity& describe(const Intervene*);

/// GET and POST /tasks/{task_id}/plan, and plan.json
struct PlanFile {
    std::string goal{};
    std::vector<PlanItem> tasks{};

    bool operator==(const PlanFile&) const = default;
};
const Entity& describe(const PlanFile*);
PlanFile to_plan_file(const Plan& plan);
/// `id` is the plan's; a file has none.
Plan from_plan_file(const PlanFile& file, std::string id);

}  // namespace cadre::model::agentx
