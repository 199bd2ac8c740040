// Events of what a turn does: tools, memory, guardrails and artifacts.
#pragma once

#include "base/time.hpp"
#include "model/part.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace cadre::model {

struct Entity;

enum class ActionTaken : std::uint8_t { blocked, warned, logged };
enum class PolicyUpdate : std::uint8_t { created, modified, deleted };

// ---- tools ----

struct ToolCallEvent {
    ToolCall tool_call{};
    std::string agent_name{};
    Time timestamp{};
    std::optional<std::string> sandbox_id{};
    std::optional<std::string> node{};  // of the workflow

    bool operator==(const ToolCallEvent&) const = default;
};

struct ToolResultEvent {
    ToolResult tool_result{};
    Time timestamp{};
    std::optional<std::int64_t> execution_time_ms{};
    std::optional<std::string> sandbox_id{};

    bool operator==(const ToolResultEvent&) const = default;
};

// ---- memory ----

struct MemoryStoreEvent {
    std::string memory_id{};
    std::string memory_type{};
    std::string agent_name{};
    std::int64_t content_size = 0;
    Time timestamp{};

    bool operator==(const MemoryStoreEvent&) const = default;
};

struct MemoryRetrieveEvent {
    std::string query{};
    std::int64_t results_count = 0;
    std::string agent_name{};
    Time timestamp{};
    std::optional<double> relevance_threshold{};

    bool operator==(const MemoryRetrieveEvent&) const = default;
};

struct MemoryConsolidateEvent {
    std::string topic{};
    std::int64_t items_consolidated = 0;
    Time timestamp{};
    std::int64_t summary_length = 0;

    bool operator==(const MemoryConsolidateEvent&) const = default;
};

// ---- guardrails ----

struct GuardrailViolationEvent {
    std::string violation_id{};
    std::string check_type{};
    std::string severity{};
    std::string policy_violated{};
    std::optional<std::string> agent_name{};
    std::optional<std::string> content_sample{};
    ActionTaken action_taken = ActionTaken::logged;
    Time timestamp{};

    bool operator==(const GuardrailViolationEvent&) const = default;
};

struct GuardrailPolicyUpdateEvent {
    std::string policy_name{};
    PolicyUpdate update_type = PolicyUpdate::created;
    std::string updated_by{};
    Time timestamp{};

    bool operator==(const GuardrailPolicyUpdateEvent&) const = default;
};

// ---- artifacts ----

struct ArtifactCreatedEvent {
    Artifact artifact{};
    std::string created_by{};
    Time timestamp{};

    bool operator==(const ArtifactCreatedEvent&) const = default;
};

struct ArtifactModifiedEvent {
    std::string artifact_uri{};
    std::string modified_by{};
    boost::json::object changes{};
    std::string version{};
    Time timestamp{};

    bool operator==(const ArtifactModifiedEvent&) const = default;
};

struct ArtifactVersionedEvent {
    std::string artifact_uri{};
    std::string old_version{};
    std::string new_version{};
    std::string reason{};
    Time timestamp{};

    bool operator==(const ArtifactVersionedEvent&) const = default;
};

std::span<const EnumName> names_of(const ActionTaken*);
std::span<const EnumName> names_of(const PolicyUpdate*);

const Entity& describe(const ToolCallEvent*);
const Entity& describe(const ToolResultEvent*);
const Entity& describe(const MemoryStoreEvent*);
const Entity& describe(const MemoryRetrieveEvent*);
const Entity& describe(const MemoryConsolidateEvent*);
const Entity& describe(const GuardrailViolationEvent*);
const Entity& describe(const GuardrailPolicyUpdateEvent*);
const Entity& describe(const ArtifactCreatedEvent*);
const Entity& describe(const ArtifactModifiedEvent*);
const Entity& describe(const ArtifactVersionedEvent*);

}  // namespace cadre::model
