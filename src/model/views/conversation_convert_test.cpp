#include "model/views/conversation_convert.hpp"

#include "base/json.hpp"
#include "model/read.hpp"
#include "model/write.hpp"
#include "support/golden.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::model::conversation;
using namespace cadre::test;

namespace {

json::object as_object(const auto& entity)
{
    return parse_json(to_json_text(entity)).as_object();
}

}  // namespace

TEST_CASE("001: a plan becomes the kernel's and comes back")
{
    auto plan = from_text<ExecutionPlan>(golden("model/001_execution_plan.json"));
    plan.context = {{"user", "Ann"}};
    plan.steps[0].parameters = {{"week", 47}};
    const Plan kernel = plan_from(plan);
    CHECK(problems_of(kernel).empty());
    REQUIRE(kernel.items.size() == 4);
    CHECK(kernel.goal == "Check my timesheet");
    CHECK(kernel.items[0].depends_on.empty());
    CHECK(kernel.items[3].depends_on == std::vector<std::string>{"3"});
    CHECK(ready_items(kernel) == std::vector<std::string>{"1"});

    Task task{.id = "550e8400-e29b-41d4-a716-446655440000", .alias = "req-123"};
    keep(plan, task);
    CHECK(plan_view(task) == plan);
    task.alias.reset();
    CHECK(plan_view(task).request_id == task.id);
}

TEST_CASE("001: the state of a request is a view of its task")
{
    const auto done = from_text<MultiAgentWorkflowState>(golden("model/001_workflow_state.json"));
    Task task{.id = "550e8400-e29b-41d4-a716-446655440000", .alias = "req-123", .created_at = done.created_at};
    CHECK(state_view(task) == MultiAgentWorkflowState{.request_id = "req-123", .created_at = done.created_at});

    keep(*done.execution_plan, task);
    task.plan->scorecard = as_object(*done.scorecard);
    task.metadata["timesheet_data"] = *done.timesheet_data;
    task.metadata["composed_response"] = *done.composed_response;
    task.metadata["formatted_response"] = as_object(*done.formatted_response);
    task.metadata["validation_result"] = as_object(*done.validation_result);
    task.status = TaskStatus::running;
    task.phase = Phase::sending;
    MultiAgentWorkflowState sending = done;
    sending.status = Phase::sending;
    sending.completed_at.reset();
    sending.final_response.reset();
    CHECK(state_view(task) == sending);

    task.status = TaskStatus::completed;
    task.completed_at = done.completed_at;
    task.reply = Reply{.text = *done.final_response, .formatted = as_object(*done.formatted_response)};
    CHECK(state_view(task) == done);
    CHECK(to_json_text(state_view(task)) == to_text(parse_json(golden("model/001_workflow_state.json"))));
}
