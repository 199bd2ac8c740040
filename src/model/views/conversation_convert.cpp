#include "model/views/conversation_convert.hpp"

#include "base/json.hpp"
#include "model/read.hpp"
#include "model/status.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>

namespace cadre::model::conversation {

namespace {

/// An entity that is kept as JSON, if it is there.
template <class T>
std::optional<T> kept(const json::object& where, std::string_view name)
{
    const json::value* value = where.if_contains(name);
    if (!value || value->is_null()) return std::nullopt;
    return from_json<T>(*value);
}

std::optional<std::string> text_in(const json::object& where, std::string_view name)
{
    const json::value* value = where.if_contains(name);
    if (!value || !value->is_string()) return std::nullopt;
    return std::string(value->get_string());
}

json::object object_in(const json::object& where, std::string_view name)
{
    const json::value* value = where.if_contains(name);
    return value && value->is_object() ? value->get_object() : json::object{};
}

}  // namespace

std::string request_id_of(const Task& task)
{
    return task.alias.value_or(task.id);
}

Plan plan_from(const ExecutionPlan& plan)
{
    Plan out{.id = plan.request_id, .goal = plan.user_message};
    for (const ExecutionStep& step : plan.steps) {
        PlanItem item{.id = std::to_string(out.items.size() + 1),
                      .agent = step.agent,
                      .action = step.action,
                      .params = step.parameters};
        if (!out.items.empty()) item.depends_on = {out.items.back().id};
        out.items.push_back(std::move(item));
    }
    return out;
}

void keep(const ExecutionPlan& plan, Task& task)
{
    task.plan = plan_from(plan);
    task.metadata["channel"] = wire_name(plan.channel);
    task.metadata["requires_timesheet_data"] = plan.requires_timesheet_data;
    task.metadata["context"] = plan.context;
    task.metadata["planned_at"] = to_iso(plan.created_at);
}

ExecutionPlan plan_view(const Task& task)
{
    const auto planned_at = text_in(task.metadata, "planned_at");
    const json::value* timesheet = task.metadata.if_contains("requires_timesheet_data");
    ExecutionPlan out{.request_id = request_id_of(task),
                      .user_message = task.plan->goal,
                      .channel =
                          find_named<Channel>(text_in(task.metadata, "channel").value_or("")).value_or(Channel::email),
                      .requires_timesheet_data = timesheet && *timesheet == true,
                      .context = object_in(task.metadata, "context"),
                      .created_at = planned_at ? time_from_iso(*planned_at) : task.created_at};
    for (const PlanItem& item : task.plan->items)
        out.steps.push_back({.agent = item.agent, .action = item.action, .parameters = item.params});
    return out;
}

MultiAgentWorkflowState state_view(const Task& task)
{
    MultiAgentWorkflowState state{.request_id = request_id_of(task),
                                  .status = phase_of(task.status, task.phase),
                                  .created_at = task.created_at,
                                  .completed_at = task.completed_at};
    if (task.plan) {
        state.execution_plan = plan_view(task);
        if (task.plan->scorecard) state.scorecard = from_json<Scorecard>(*task.plan->scorecard);
    }
    if (const json::value* data = task.metadata.if_contains("timesheet_data"); data && data->is_object())
        state.timesheet_data = data->get_object();
    state.composed_response = text_in(task.metadata, "composed_response");
    state.validation_result = kept<ValidationResult>(task.metadata, "validation_result");
    if (const json::value* count = task.metadata.if_contains("refinement_count"); count && count->is_int64())
        state.refinement_count = static_cast<int>(count->get_int64());
    state.formatted_response = kept<FormattedResponse>(task.metadata, "formatted_response");
    if (task.reply) {
        if (task.reply->formatted) state.formatted_response = from_json<FormattedResponse>(*task.reply->formatted);
        state.final_response = task.reply->text;
    }
    return state;
}

}  // namespace cadre::model::conversation
