#include "model/control_events.hpp"

#include "model/describe.hpp"
#include "model/timestamp_field.hpp"

namespace cadre::model {

std::span<const EnumName> names_of(const HitlRequestType*)
{
    static constexpr EnumName names[] = {{int(HitlRequestType::approval), "approval"},
                                         {int(HitlRequestType::feedback), "feedback"},
                                         {int(HitlRequestType::escalation), "escalation"}};
    return names;
}

std::span<const EnumName> names_of(const HitlResponseType*)
{
    static constexpr EnumName names[] = {{int(HitlResponseType::approved), "approved"},
                                         {int(HitlResponseType::rejected), "rejected"},
                                         {int(HitlResponseType::modified), "modified"},
                                         {int(HitlResponseType::timeout), "timeout"}};
    return names;
}

std::span<const EnumName> names_of(const InterventionType*)
{
    static constexpr EnumName names[] = {{int(InterventionType::instruction), "instruction"},
                                         {int(InterventionType::plan_update), "plan_update"},
                                         {int(InterventionType::agent_override), "agent_override"},
                                         {int(InterventionType::team_modification), "team_modification"}};
    return names;
}

std::span<const EnumName> names_of(const Health*)
{
    static constexpr EnumName names[] = {
        {int(Health::healthy), "healthy"}, {int(Health::degraded), "degraded"}, {int(Health::unhealthy), "unhealthy"}};
    return names;
}

const Entity& describe(const HITLRequestEvent*)
{
    static const Entity entity{
        .name = "hitl_request_event",
        .doc = "A person is asked.",
        .fields = {field("request_id", &HITLRequestEvent::request_id, "The request.",
                         {.required = true, .min_length = 1}),
                   field("request_type", &HITLRequestEvent::request_type, "What for.", {.required = true}),
                   field("agent_name", &HITLRequestEvent::agent_name, "Who asks.", {.required = true, .min_length = 1}),
                   field("context", &HITLRequestEvent::context, "What the person needs to know.", {.required = true}),
                   field("timeout", &HITLRequestEvent::timeout, "Seconds until it counts as not answered.", {.min = 1}),
                   timestamp<HITLRequestEvent>()},
        .tag = "event_hitl_request",
        .home = kEventHome,
        .example = R"({"type":"event_hitl_request","request_id":"req_1","request_type":"approval","agent_name":"writer",
"context":{"tool":"send_mail"},"timeout":600,"timestamp":"2025-11-02T10:30:00Z"})"};
    return entity;
}

const Entity& describe(const HITLResponseEvent*)
{
    static const Entity entity{
        .name = "hitl_response_event",
        .doc = "A person has answered, or the time is over.",
        .fields = {field("request_id", &HITLResponseEvent::request_id, "The request.",
                         {.required = true, .min_length = 1}),
                   field("response_type", &HITLResponseEvent::response_type, "The answer.", {.required = true}),
                   field("response_data", &HITLResponseEvent::response_data,
                         "What came with it: `message`, `answer` (approve, reject, modify, happened, …), `by`, and "
                         "`updates` if there are some.",
                         {.required = true}),
                   field("response_time_ms", &HITLResponseEvent::response_time_ms, "How long it took.",
                         {.required = true, .min = 0}),
                   timestamp<HITLResponseEvent>()},
        .tag = "event_hitl_response",
        .home = kEventHome,
        .example = R"({"type":"event_hitl_response","request_id":"req_1","response_type":"modified",
"response_data":{"to":"ann@example.org"},"response_time_ms":41000,"timestamp":"2025-11-02T10:30:00Z"})"};
    return entity;
}

const Entity& describe(const ErrorEvent*)
{
    static const Entity entity{
        .name = "error_event",
        .doc = "Something failed.",
        .fields = {field("error_id", &ErrorEvent::error_id, "This failure.", {.required = true, .min_length = 1}),
                   field("error_type", &ErrorEvent::error_type, "Of what kind.", {.required = true}),
                   field("error_message", &ErrorEvent::error_message, "What happened, for people.", {.required = true}),
                   field("context", &ErrorEvent::context, "Where it happened.", {.required = true}),
                   timestamp<ErrorEvent>(),
                   field("recoverable", &ErrorEvent::recoverable, "Whether the task can continue.", {.required = true}),
                   field("recovery_action", &ErrorEvent::recovery_action, "What will be tried."),
                   field("stack_trace", &ErrorEvent::stack_trace, "Where in the code; never for clients.")},
        .tag = "event_error",
        .home = kEventHome,
        .example = R"({"type":"event_error","error_id":"err_1","error_type":"timeout",
"error_message":"search did not answer within 20 s","context":{"tool":"search"},
"timestamp":"2025-11-02T10:30:00Z","recoverable":true,"recovery_action":"retry","stack_trace":"search"})"};
    return entity;
}

const Entity& describe(const RecoveryEvent*)
{
    static const Entity entity{
        .name = "recovery_event",
        .doc = "What was tried after a failure.",
        .fields = {field("error_id", &RecoveryEvent::error_id, "The failure.", {.required = true, .min_length = 1}),
                   field("recovery_strategy", &RecoveryEvent::recovery_strategy, "What was tried.", {.required = true}),
                   field("success", &RecoveryEvent::success,
                         "Whether the work was done after all; false: another attempt begins, and a further event "
                         "tells when it succeeds.",
                         {.required = true}),
                   timestamp<RecoveryEvent>(), field("details", &RecoveryEvent::details, "More about it.")},
        .tag = "event_recovery",
        .home = kEventHome,
        .example = R"({"type":"event_recovery","error_id":"err_1","recovery_strategy":"fallback","success":true,
"timestamp":"2025-11-02T10:30:00Z","details":{"tool":"search_local"}})"};
    return entity;
}

const Entity& describe(const BreakpointHitEvent*)
{
    static const Entity entity{
        .name = "breakpoint_hit_event",
        .doc = "A task came to a breakpoint.",
        .fields = {field("breakpoint_id", &BreakpointHitEvent::breakpoint_id, "The breakpoint.",
                         {.required = true, .min_length = 1}),
                   field("breakpoint_type", &BreakpointHitEvent::breakpoint_type, "Of what kind.", {.required = true}),
                   field("context", &BreakpointHitEvent::context, "Where the task is.", {.required = true}),
                   timestamp<BreakpointHitEvent>(),
                   field("agent_name", &BreakpointHitEvent::agent_name, "Whose turn it is.")},
        .tag = "event_breakpoint_hit",
        .home = kEventHome,
        .example =
            R"({"type":"event_breakpoint_hit","breakpoint_id":"bp_1","breakpoint_type":"agent","context":{"step":4},
"timestamp":"2025-11-02T10:30:00Z","agent_name":"writer"})"};
    return entity;
}

const Entity& describe(const UserInterventionEvent*)
{
    static const Entity entity{
        .name = "user_intervention_event",
        .doc = "A person changed the course of a task.",
        .fields = {field("intervention_id", &UserInterventionEvent::intervention_id, "This change.",
                         {.required = true, .min_length = 1}),
                   field("intervention_type", &UserInterventionEvent::intervention_type, "What was changed.",
                         {.required = true}),
                   field("details", &UserInterventionEvent::details, "How.", {.required = true}),
                   timestamp<UserInterventionEvent>(), field("user_id", &UserInterventionEvent::user_id, "By whom.")},
        .tag = "event_user_intervention",
        .home = kEventHome,
        .example = R"({"type":"event_user_intervention","intervention_id":"int_1","intervention_type":"instruction",
"details":{"text":"Be brief."},"timestamp":"2025-11-02T10:30:00Z","user_id":"ann"})"};
    return entity;
}

const Entity& describe(const HealthCheckEvent*)
{
    static const Entity entity{
        .name = "health_check_event",
        .doc = "A part of the system reports how it is.",
        .fields = {field("component", &HealthCheckEvent::component, "Which part.", {.required = true}),
                   field("status", &HealthCheckEvent::status, "How it is.", {.required = true}),
                   field("metrics", &HealthCheckEvent::metrics, "The numbers that it rests on.", {.required = true}),
                   timestamp<HealthCheckEvent>()},
        .tag = "event_health_check",
        .home = kEventHome,
        .example = R"({"type":"event_health_check","component":"storage","status":"degraded","metrics":{"commit_ms":40},
"timestamp":"2025-11-02T10:30:00Z"})"};
    return entity;
}

const Entity& describe(const PerformanceMetricEvent*)
{
    static const Entity entity{
        .name = "performance_metric_event",
        .doc = "A number about the running system.",
        .fields = {field("metric_name", &PerformanceMetricEvent::metric_name, "Which number.", {.required = true}),
                   field("metric_value", &PerformanceMetricEvent::metric_value, "Its value.", {.required = true}),
                   field("metric_unit", &PerformanceMetricEvent::metric_unit, "Its unit.", {.required = true}),
                   field("component", &PerformanceMetricEvent::component, "What it is about.", {.required = true}),
                   timestamp<PerformanceMetricEvent>(),
                   field("tags", &PerformanceMetricEvent::tags, "More names to tell it by.")},
        .tag = "event_performance_metric",
        .home = kEventHome,
        .example = R"({"type":"event_performance_metric","metric_name":"tokens_per_second","metric_value":41.5,
"metric_unit":"1/s","component":"llm","timestamp":"2025-11-02T10:30:00Z",
"tags":{"model":"deepseek-chat"}})"};
    return entity;
}

}  // namespace cadre::model
