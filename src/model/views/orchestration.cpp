#include "model/views/orchestration.hpp"

#include "base/ascii.hpp"
#include "model/describe.hpp"
#include "model/descriptions.hpp"
#include "model/views/orchestration_options.hpp"
#include "model/views/orchestration_route.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::model::orchestration {

namespace {

/// The texts of the protocol's parts, one a line; files and data have no place in a message of this document.
std::string text_of(const boost::json::array& parts)
{
    std::string all;
    for (const auto& part : parts) {
        const auto* object = part.if_object();
        const auto* text = object ? object->if_contains("text") : nullptr;
        if (!text || !text->is_string()) continue;
        if (!all.empty()) all += '\n';
        all += std::string_view(text->get_string());
    }
    return all;
}

bool accept_parts(const boost::json::value& given, boost::json::value& plain)
{
    const auto* message = given.if_object();
    if (!message) return false;
    const boost::json::array* parts = nullptr;
    for (const auto& member : *message) {
        if (same_in_any_case(member.key(), "content")) return false;
        if (same_in_any_case(member.key(), "parts")) parts = member.value().if_array();
    }
    if (!parts) return false;
    boost::json::object& out = plain.emplace_object();
    for (const auto& member : *message)
        if (!same_in_any_case(member.key(), "parts")) out.insert(member);
    out["content"] = text_of(*parts);
    return true;
}

}  // namespace

std::span<const EnumName> names_of(const TaskState*)
{
    using enum TaskState;
    static constexpr EnumName names[] = {
        {int(submitted), "submitted"}, {int(working), "working"},   {int(input_required), "input-required"},
        {int(completed), "completed"}, {int(canceled), "canceled"}, {int(failed), "failed"},
        {int(unknown), "unknown"},     {int(canceled), "cancelled"}};  // the last is only read (C-02)
    return names;
}

const Machine<TaskState>& state_machine()
{
    using enum TaskState;
    static const Machine<TaskState> machine("a task", names_of(static_cast<const TaskState*>(nullptr)),
                                            {{submitted, working},
                                             {submitted, input_required},
                                             {submitted, failed},
                                             {submitted, canceled},
                                             {working, completed},
                                             {working, input_required},
                                             {working, failed},
                                             {working, canceled},
                                             {input_required, working},
                                             {input_required, failed},
                                             {input_required, canceled}});
    return machine;
}

std::span<const EnumName> names_of(const MessageRole*)
{
    static constexpr EnumName names[] = {{int(MessageRole::user), "user"},
                                         {int(MessageRole::assistant), "assistant"},
                                         {int(MessageRole::system), "system"},
                                         {int(MessageRole::assistant), "agent"}};  // the last is only read (C-05)
    return names;
}

const Entity& describe(const Message*)
{
    static const Entity entity{
        .name = "a2a_message",
        .doc = "One message of a task. The protocol's own form, with role `agent` and `parts`, is read too.",
        .fields =
            {
                field("role", &Message::role, "Who speaks.", {.required = true}),
                field("content", &Message::content, "The text.", {.required = true}),
                field("timestamp", &Message::timestamp, "When it was said."),
            },
        .dialect = kA2a,
        .example = R"({"role":"user","content":"Turn on the kitchen lights","timestamp":"2025-10-13T10:29:45Z"})",
        .accept = accept_parts,
        .other_form = R"({"$ref":"#/$defs/a2a_protocol_message"})",
    };
    return entity;
}

const Entity& describe(const ProtocolMessage*)
{
    static const Entity entity{
        .name = "a2a_protocol_message",
        .doc = "A message in the protocol's own form. It is read as an `a2a_message` whose text is that of its parts.",
        .fields =
            {
                field("role", &ProtocolMessage::role, "Who speaks.", {.required = true}),
                field("parts", &ProtocolMessage::parts, "What is said; what has no `text` is passed over.",
                      {.required = true}),
                field("timestamp", &ProtocolMessage::timestamp, "When it was said."),
            },
        .dialect = kA2a,
        .example = R"({"role":"user","parts":[{"kind":"text","text":"Turn on the kitchen lights"}]})",
    };
    return entity;
}

const Entity& describe(const FileReference*)
{
    static const Entity entity{
        .name = "a2a_file",
        .doc = "Where a file is.",
        .fields = {field("uri", &FileReference::uri, "Its address.", {.required = true, .min_length = 1}),
                   field("mimeType", &FileReference::mime_type, "What it holds.")},
        .dialect = kA2a,
        .example = R"({"uri":"/tasks/task-abc-123/artifacts/scene.json","mimeType":"application/json"})",
    };
    return entity;
}

const Entity& describe(const FilePart*)
{
    static const Entity entity{
        .name = "a2a_file_part",
        .doc = "A file as part of an artifact.",
        .fields = {field("file", &FilePart::file, "The file.", {.required = true})},
        .tag = "file",
        .dialect = kA2a,
        .example = R"({"type":"file","file":{"uri":"/tasks/task-abc-123/artifacts/scene.json"}})",
    };
    return entity;
}

const Entity& describe(const Artifact*)
{
    static const Entity entity{
        .name = "a2a_artifact",
        .doc = "Something that agents made for a task.",
        .fields = {field("name", &Artifact::name, "Its name.", {.required = true, .min_length = 1}),
                   field("parts", &Artifact::parts, "Its files.", {.required = true}),
                   field("metadata", &Artifact::metadata, "Anything else about it.")},
        .dialect = kA2a,
        .example = R"({"name":"scene.json","parts":[{"type":"file","file":{
            "uri":"/tasks/task-abc-123/artifacts/scene.json","mimeType":"application/json"}}],
            "metadata":{"version":2}})",
    };
    return entity;
}

const Entity& describe(const TaskStatus*)
{
    static const Entity entity{
        .name = "a2a_task_status",
        .doc = "How a task stands.",
        .fields = {field("state", &TaskStatus::state, "Its state.", {.required = true}),
                   field("message", &TaskStatus::message, "What the client is told about it."),
                   field("timestamp", &TaskStatus::timestamp, "Since when.")},
        .dialect = kA2a,
        .example = R"({"state":"completed","message":{"role":"assistant","content":"The kitchen lights are on."},
            "timestamp":"2025-10-13T10:30:15Z"})",
    };
    return entity;
}

const Entity& describe(const TaskContext*)
{
    static const Entity entity{
        .name = "task_context",
        .doc = "A task as clients of A2A, the protocol between agents, see it: its state, its newest messages, what "
               "was made.",
        .fields =
            {
                field("id", &TaskContext::id, "The task; an id that a client made is kept.",
                      {.required = true, .min_length = 1}),
                field("sessionId", &TaskContext::session_id, "The client's session, as the client named it.",
                      {.required = true, .min_length = 1}),
                field("status", &TaskContext::status, "How it stands.", {.required = true}),
                field("history", &TaskContext::history, "Messages in the order of time, the newest 50."),
                field("artifacts", &TaskContext::artifacts, "What the agents made."),
                field("metadata", &TaskContext::metadata, "`agentSelections`, `routingConfidence` and other context."),
            },
        .home = {Home::Kind::message, "over A2A; also the value that is stored at `task:ID`"},
        .dialect = kA2a,
        .example = R"({"id":"task-abc-123","sessionId":"session-xyz-789","status":{"state":"working"},
            "history":[{"role":"user","content":"Turn on the kitchen lights"}],"artifacts":[],
            "metadata":{"agentSelections":["light-agent"],"routingConfidence":0.95}})",
    };
    return entity;
}

std::string context_key(std::string_view task_id)
{
    return fmt::format("task:{}", task_id);
}

std::vector<Message> pruned(std::vector<Message> history, std::size_t limit)
{
    if (history.size() <= limit) return history;
    const auto is_system = [](const Message& message) { return message.role == MessageRole::system; };
    const auto talk = std::ranges::find_if_not(history, is_system);
    const std::size_t leading = std::min<std::size_t>(talk - history.begin(), limit);
    const auto kept = history.begin() + static_cast<std::ptrdiff_t>(leading);
    const auto newest = history.end() - static_cast<std::ptrdiff_t>(limit - leading);
    history.erase(kept, newest);
    return history;
}

std::vector<const Entity*> entities()
{
    return descriptions<Message, ProtocolMessage, FileReference, FilePart, Artifact, TaskStatus, TaskContext,
                        AgentChoiceResult, AgentReplyView, WorkflowState, RouterExecutorOptions,
                        AgentExecutorWrapperOptions, ResultAggregatorOptions, OrchestrationOptions, AppSettings>();
}

}  // namespace cadre::model::orchestration
