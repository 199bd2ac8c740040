// Events of what comes from outside the plan: people, errors, stepping through, the health of the system.
#pragma once

#include "base/time.hpp"
#include "model/type.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace cadre::model {

struct Entity;

enum class HitlRequestType : std::uint8_t { approval, feedback, escalation };
enum class HitlResponseType : std::uint8_t { approved, rejected, modified, timeout };
enum class InterventionType : std::uint8_t { instruction, plan_update, agent_override, team_modification };
enum class Health : std::uint8_t { healthy, degraded, unhealthy };

// ---- people ----

struct HITLRequestEvent {
    std::string request_id{};
    HitlRequestType request_type = HitlRequestType::approval;
    std::string agent_name{};
    boost::json::object context{};
    std::optional<int> timeout{};  // seconds
    Time timestamp{};

    bool operator==(const HITLRequestEvent&) const = default;
};

struct HITLResponseEvent {
    std::string request_id{};
    HitlResponseType response_type = HitlResponseType::approved;
    boost::json::object response_data{};
    std::int64_t response_time_ms = 0;
    Time timestamp{};

    bool operator==(const HITLResponseEvent&) const = default;
};

// ---- errors ----

struct ErrorEvent {
    std::string error_id{};
    std::string error_type{};
    std::string error_message{};
    boost::json::object context{};
    Time timestamp{};
    bool recoverable = false;
    std::optional<std::string> recovery_action{};
    std::optional<std::string> stack_trace{};

    bool operator==(const ErrorEvent&) const = default;
};

struct RecoveryEvent {
    std::string error_id{};
    std::string recovery_strategy{};
    bool success = false;
    Time timestamp{};
    boost::json::object details{};

    bool operator==(const RecoveryEvent&) const = default;
};

// ---- stepping through ----

struct BreakpointHitEvent {
    std::string breakpoint_id{};
    std::string breakpoint_type{};
    boost::json::object context{};
    Time timestamp{};
    std::optional<std::string> agent_name{};

    bool operator==(const BreakpointHitEvent&) const = default;
};

struct UserInterventionEvent {
    std::string intervention_id{};
    InterventionType intervention_type = InterventionType::instruction;
    boost::json::object details{};
    Time timestamp{};
    std::optional<std::string> user_id{};

    bool operator==(const UserInterventionEvent&) const = default;
};

// ---- the system ----

struct HealthCheckEvent {
    std::string component{};
    Health status = Health::healthy;
    boost::json::object metrics{};
    Time timestamp{};

    bool operator==(const HealthCheckEvent&) const = default;
};

struct PerformanceMetricEvent {
    std::string metric_name{};
    double metric_value = 0;
    std::string metric_unit{};
    std::string component{};
    Time timestamp{};
    Dict<std::string> tags{};

    bool operator==(const PerformanceMetricEvent&) const = default;
};

std::span<const EnumName> names_of(const HitlRequestType*);
std::span<const EnumName> names_of(const HitlResponseType*);
std::span<const EnumName> names_of(const InterventionType*);
std::span<const EnumName> names_of(const Health*);

const Entity& describe(const HITLRequestEvent*);
const Entity& describe(const HITLResponseEvent*);
const Entity& describe(const ErrorEvent*);
const Entity& describe(const RecoveryEvent*);
const Entity& describe(const BreakpointHitEvent*);
const Entity& describe(const UserInterventionEvent*);
const Entity& describe(const HealthCheckEvent*);
const Entity& describe(const PerformanceMetricEvent*);

}  // namespace cadre::model
