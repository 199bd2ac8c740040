#include "model/work_events.hpp"

#include "model/describe.hpp"
#include "model/timestamp_field.hpp"

namespace cadre::model {

std::span<const EnumName> names_of(const ActionTaken*)
{
    static constexpr EnumName names[] = {{int(ActionTaken::blocked), "blocked"},
                                         {int(ActionTaken::warned), "warned"},
                                         {int(ActionTaken::logged), "logged"}};
    return names;
}

std::span<const EnumName> names_of(const PolicyUpdate*)
{
    static constexpr EnumName names[] = {{int(PolicyUpdate::created), "created"},
                                         {int(PolicyUpdate::modified), "modified"},
                                         {int(PolicyUpdate::deleted), "deleted"}};
    return names;
}

const Entity& describe(const ToolCallEvent*)
{
    static const Entity entity{
        .name = "tool_call_event",
        .doc = "A tool is about to run.",
        .fields = {field("tool_call", &ToolCallEvent::tool_call, "The call.", {.required = true}),
                   field("agent_name", &ToolCallEvent::agent_name, "Who calls.", {.required = true, .min_length = 1}),
                   timestamp<ToolCallEvent>(), field("sandbox_id", &ToolCallEvent::sandbox_id, "Where it runs."),
                   field("node", &ToolCallEvent::node, "The node of the workflow that it is made in.",
                         {.extension = true})},
        .tag = "event_tool_call",
        .home = kEventHome,
        .example =
            R"({"type":"event_tool_call","tool_call":{"id":"tc_0b9d7e5c3a1f4e8db6c4a29f8e7d6c5b","tool_name":"search",
"args":{"query":"durable agents","limit":5},"expected_output_type":"json","timeout":20,
"retry_policy":{"max_retries":2}},"agent_name":"writer","timestamp":"2025-11-02T10:30:00Z",
"sandbox_id":"sbx_1"})"};
    return entity;
}

const Entity& describe(const ToolResultEvent*)
{
    static const Entity entity{
        .name = "tool_result_event",
        .doc = "A tool has run.",
        .fields = {field("tool_result", &ToolResultEvent::tool_result, "What it answered.", {.required = true}),
                   timestamp<ToolResultEvent>(),
                   field("execution_time_ms", &ToolResultEvent::execution_time_ms, "How long it took.", {.min = 0}),
                   field("sandbox_id", &ToolResultEvent::sandbox_id, "Where it ran.")},
        .tag = "event_tool_result",
        .home = kEventHome,
        .example = R"({"type":"event_tool_result","tool_result":{"tool_call_id":"tc_0b9d7e5c3a1f4e8db6c4a29f8e7d6c5b",
"result":"[\"a\",\"b\"]","error":"one source did not answer","artifacts":["artifacts/data/hits.json"],
"execution_time_ms":412,"resource_usage":{"cpu_ms":31,"memory_bytes":1048576},"exit_code":0},
"timestamp":"2025-11-02T10:30:00Z","execution_time_ms":412,"sandbox_id":"sbx_1"})"};
    return entity;
}

const Entity& describe(const MemoryStoreEvent*)
{
    static const Entity entity{
        .name = "memory_store_event",
        .doc = "Something was stored in memory.",
        .fields = {field("memory_id", &MemoryStoreEvent::memory_id, "The item.", {.required = true, .min_length = 1}),
                   field("memory_type", &MemoryStoreEvent::memory_type, "Where it is kept.", {.required = true}),
                   field("agent_name", &MemoryStoreEvent::agent_name, "Who stored it.",
                         {.required = true, .min_length = 1}),
                   field("content_size", &MemoryStoreEvent::content_size, "Its size in bytes.",
                         {.required = true, .min = 0}),
                   timestamp<MemoryStoreEvent>()},
        .tag = "event_memory_store",
        .home = kEventHome,
        .example = R"({"type":"event_memory_store","memory_id":"mem_1","memory_type":"semantic","agent_name":"writer",
"content_size":240,"timestamp":"2025-11-02T10:30:00Z"})"};
    return entity;
}

const Entity& describe(const MemoryRetrieveEvent*)
{
    static const Entity entity{
        .name = "memory_retrieve_event",
        .doc = "Memory was searched.",
        .fields =
            {field("query", &MemoryRetrieveEvent::query, "What was asked.", {.required = true}),
             field("results_count", &MemoryRetrieveEvent::results_count, "Items found.", {.required = true, .min = 0}),
             field("agent_name", &MemoryRetrieveEvent::agent_name, "Who asked.", {.required = true, .min_length = 1}),
             timestamp<MemoryRetrieveEvent>(),
             field("relevance_threshold", &MemoryRetrieveEvent::relevance_threshold, "Items below it were left out.")},
        .tag = "event_memory_retrieve",
        .home = kEventHome,
        .example = R"({"type":"event_memory_retrieve","query":"deadlines","results_count":3,"agent_name":"writer",
"timestamp":"2025-11-02T10:30:00Z","relevance_threshold":0.5})"};
    return entity;
}

const Entity& describe(const MemoryConsolidateEvent*)
{
    static const Entity entity{
        .name = "memory_consolidate_event",
        .doc = "Items of memory were summed up.",
        .fields = {field("topic", &MemoryConsolidateEvent::topic, "What about.", {.required = true}),
                   field("items_consolidated", &MemoryConsolidateEvent::items_consolidated, "How many.",
                         {.required = true, .min = 0}),
                   timestamp<MemoryConsolidateEvent>(),
                   field("summary_length", &MemoryConsolidateEvent::summary_length, "Characters of the summary.",
                         {.required = true, .min = 0})},
        .tag = "event_memory_consolidate",
        .home = kEventHome,
        .example = R"({"type":"event_memory_consolidate","topic":"deadlines","items_consolidated":12,
"timestamp":"2025-11-02T10:30:00Z","summary_length":180})"};
    return entity;
}

const Entity& describe(const GuardrailViolationEvent*)
{
    static const Entity entity{
        .name = "guardrail_violation_event",
        .doc = "A guardrail found something.",
        .fields = {field("violation_id", &GuardrailViolationEvent::violation_id, "This finding.",
                         {.required = true, .min_length = 1}),
                   field("check_type", &GuardrailViolationEvent::check_type, "What kind of check.", {.required = true}),
                   field("severity", &GuardrailViolationEvent::severity, "How bad it is.", {.required = true}),
                   field("policy_violated", &GuardrailViolationEvent::policy_violated, "The policy that was broken.",
                         {.required = true}),
                   field("agent_name", &GuardrailViolationEvent::agent_name, "Whose words they were."),
                   field("content_sample", &GuardrailViolationEvent::content_sample,
                         "Some of them, personal data masked."),
                   field("action_taken", &GuardrailViolationEvent::action_taken, "What was done.", {.required = true}),
                   timestamp<GuardrailViolationEvent>()},
        .tag = "event_guardrail_violation",
        .home = kEventHome,
        .example = R"({"type":"event_guardrail_violation","violation_id":"vio_1","check_type":"content_filter",
"severity":"high","policy_violated":"no_pii","agent_name":"writer","content_sample":"call [phone]",
"action_taken":"blocked","timestamp":"2025-11-02T10:30:00Z"})"};
    return entity;
}

const Entity& describe(const GuardrailPolicyUpdateEvent*)
{
    static const Entity entity{
        .name = "guardrail_policy_update_event",
        .doc = "A policy was changed.",
        .fields = {field("policy_name", &GuardrailPolicyUpdateEvent::policy_name, "The policy.", {.required = true}),
                   field("update_type", &GuardrailPolicyUpdateEvent::update_type, "How.", {.required = true}),
                   field("updated_by", &GuardrailPolicyUpdateEvent::updated_by, "By whom.", {.required = true}),
                   timestamp<GuardrailPolicyUpdateEvent>()},
        .tag = "event_guardrail_policy_update",
        .home = kEventHome,
        .example = R"({"type":"event_guardrail_policy_update","policy_name":"no_pii","update_type":"created",
"updated_by":"ann","timestamp":"2025-11-02T10:30:00Z"})"};
    return entity;
}

const Entity& describe(const ArtifactCreatedEvent*)
{
    static const Entity entity{
        .name = "artifact_created_event",
        .doc = "A file was made.",
        .fields = {field("artifact", &ArtifactCreatedEvent::artifact, "The file.", {.required = true}),
                   field("created_by", &ArtifactCreatedEvent::created_by, "By whom.", {.required = true}),
                   timestamp<ArtifactCreatedEvent>()},
        .tag = "event_artifact_created",
        .home = kEventHome,
        .example = R"({"type":"event_artifact_created","artifact":{"uri":"file://artifacts/code/main.py",
"mime_type":"text/x-python","size_bytes":1832,"description":"The program.","version":"2",
"checksum":"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
"metadata":{"lines":60},"created_by":"coder","tags":["code","python"]},"created_by":"coder",
"timestamp":"2025-11-02T10:30:00Z"})"};
    return entity;
}

const Entity& describe(const ArtifactModifiedEvent*)
{
    static const Entity entity{
        .name = "artifact_modified_event",
        .doc = "A file was changed.",
        .fields = {field("artifact_uri", &ArtifactModifiedEvent::artifact_uri, "The file.", {.required = true}),
                   field("modified_by", &ArtifactModifiedEvent::modified_by, "By whom.", {.required = true}),
                   field("changes", &ArtifactModifiedEvent::changes, "What changed.", {.required = true}),
                   field("version", &ArtifactModifiedEvent::version, "Its version now.", {.required = true}),
                   timestamp<ArtifactModifiedEvent>()},
        .tag = "event_artifact_modified",
        .home = kEventHome,
        .example =
            R"({"type":"event_artifact_modified","artifact_uri":"file://artifacts/code/main.py","modified_by":"coder",
"changes":{"lines_added":4},"version":"3","timestamp":"2025-11-02T10:30:00Z"})"};
    return entity;
}

const Entity& describe(const ArtifactVersionedEvent*)
{
    static const Entity entity{
        .name = "artifact_versioned_event",
        .doc = "A file has a new version.",
        .fields = {field("artifact_uri", &ArtifactVersionedEvent::artifact_uri, "The file.", {.required = true}),
                   field("old_version", &ArtifactVersionedEvent::old_version, "Its version before.",
                         {.required = true}),
                   field("new_version", &ArtifactVersionedEvent::new_version, "Its version now.", {.required = true}),
                   field("reason", &ArtifactVersionedEvent::reason, "Why.", {.required = true}),
                   timestamp<ArtifactVersionedEvent>()},
        .tag = "event_artifact_versioned",
        .home = kEventHome,
        .example =
            R"({"type":"event_artifact_versioned","artifact_uri":"file://artifacts/code/main.py","old_version":"2",
"new_version":"3","reason":"modified","timestamp":"2025-11-02T10:30:00Z"})"};
    return entity;
}

}  // namespace cadre::model
