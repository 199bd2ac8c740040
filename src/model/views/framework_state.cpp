#include "model/views/framework_state.hpp"

#include "base/id.hpp"
#include "base/json.hpp"
#include "base/time.hpp"
#include "model/calls.hpp"
#include "model/describe.hpp"
#include "model/schema_version.hpp"
#include "model/state_update.hpp"
#include "model/step_text.hpp"

#include <boost/json.hpp>

#include <map>

namespace cadre::model::framework {

namespace {

std::vector<ToolCall> calls_in(const Step& step, const Dict<std::string>& servers)
{
    std::vector<ToolCall> calls;
    for (const Call& call : calls_of({&step, 1}, servers))
        calls.push_back({.id = call.id, .server = call.server.value_or(""), .tool = call.tool, .arguments = call.args});
    return calls;
}

void add_messages(std::vector<Message>& out, const Step& step, const Dict<std::string>& servers)
{
    Message message{.role = step.role, .content = text_of(step), .timestamp = step.at};
    if (auto calls = calls_in(step, servers); !calls.empty()) {
        message.role = Role::assistant;
        message.tool_calls = std::move(calls);
    }
    if (!message.content.empty() || message.tool_calls) out.push_back(std::move(message));
    for (const Part& part : step.parts)
        if (const auto* result = std::get_if<ToolResultPart>(&part))
            out.push_back({.role = Role::tool,
                           .content = result->tool_result.error.value_or(result->tool_result.result),
                           .timestamp = step.at});
}

}  // namespace

const Entity& describe(const ToolCall*)
{
    static const Entity entity{
        .name = "framework_tool_call",
        .doc = "A tool that an assistant wants to call.",
        .fields =
            {
                field("id", &ToolCall::id, "Its id.", {.required = true, .format = Format::uuid}),
                field("server", &ToolCall::server, "MCP server that offers the tool; empty for a tool of our own.",
                      {.required = true}),
                field("tool", &ToolCall::tool, "Name of the tool.", {.required = true, .min_length = 1}),
                field("arguments", &ToolCall::arguments, "Parameters of the tool.", {.required = true}),
            },
        .example = R"({"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","server":"web","tool":"search",
            "arguments":{"query":"tide tables"}})",
    };
    return entity;
}

const Entity& describe(const Message*)
{
    static const Entity entity{
        .name = "framework_message",
        .doc = "One message of a conversation.",
        .fields =
            {
                field("role", &Message::role, "Who speaks.", {.required = true}),
                field("content", &Message::content, "What is said.", {.required = true}),
                field("tool_calls", &Message::tool_calls, "Tools to call; for assistant messages only."),
                field("timestamp", &Message::timestamp, "When it was said.", {.fill = Fill::now}),
            },
        .demands = {{.when = {!is("role", {"assistant"})},
                     .then = !filled("tool_calls"),
                     .says = "are for assistant messages only"}},
        .example = R"({"role":"user","content":"When is high tide?","tool_calls":null,
            "timestamp":"2026-01-12T09:00:00Z"})",
    };
    return entity;
}

const Entity& describe(const State*)
{
    static const Entity entity{
        .name = "framework_state",
        .doc = "The shared context of a run.",
        .fields =
            {
                field("messages", &State::messages, "The conversation so far; only appended to.", {.required = true}),
                field("next_action", &State::next_action, "What is planned next."),
                field("current_agent", &State::current_agent, "Who is at work.", {.required = true}),
                field("routing_key", &State::routing_key, "Which way a condition goes."),
                field("metadata", &State::metadata, "Everything else."),
            },
        .example = R"({"messages":[{"role":"user","content":"When is high tide?","tool_calls":null,
            "timestamp":"2026-01-12T09:00:00Z"}],"next_action":null,"current_agent":"writer","routing_key":"ok",
            "metadata":{"draft":1}})",
    };
    return entity;
}

const Entity& describe(const Checkpoint*)
{
    static const Entity entity{
        .name = "framework_checkpoint",
        .doc = "A saved state of a task.",
        .fields =
            {
                field("checkpoint_id", &Checkpoint::checkpoint_id, "Its id.",
                      {.required = true, .format = Format::uuid}),
                field("task_id", &Checkpoint::task_id, "Id of the task.", {.required = true, .min_length = 1}),
                field("state", &Checkpoint::state, "The whole state.", {.required = true}),
                field("position", &Checkpoint::position, "Current node in the workflow.", {.required = true}),
                field("sequence", &Checkpoint::sequence, "0, 1, 2, … in its task.", {.required = true, .min = 0}),
                field("created_at", &Checkpoint::created_at, "When it was saved.", {.fill = Fill::now}),
                field("awaiting_human", &Checkpoint::awaiting_human, "Whether it waits for a person."),
                field("ext", &Checkpoint::ext, "What Cadre knows about it and this format has no field for.",
                      {.extension = true}),
            },
        .home = {Home::Kind::data, "`checkpoint_000.json` and on, in the folder of a task"},
        .checks = {schema_version_check<Checkpoint>()},
        .example = R"({"checkpoint_id":"9b2d4f6a-8c1e-4a3b-b5d7-0f9e8d7c6b5a",
            "task_id":"3f2b8c1e-9d4a-4e6b-8f7a-1c2d3e4f5a6b",
            "state":{"messages":[],"next_action":null,"current_agent":"writer","routing_key":null,"metadata":{}},
            "position":"review","sequence":2,"created_at":"2026-01-12T09:00:05Z","awaiting_human":true,
            "ext":{"schema_version":"1.0.0"}})",
    };
    return entity;
}

std::span<const EnumName> names_of(const FeedbackAction*)
{
    // the first spelling is written, every one is read
    static constexpr EnumName names[] = {
        {int(FeedbackAction::approve), "approve"}, {int(FeedbackAction::reject), "reject"},
        {int(FeedbackAction::modify), "modify"},   {int(FeedbackAction::approve), "approved"},
        {int(FeedbackAction::reject), "rejected"}, {int(FeedbackAction::modify), "modified"},
    };
    return names;
}

const Entity& describe(const HumanFeedback*)
{
    static const Entity entity{
        .name = "human_feedback",
        .doc = "What a person answers at a checkpoint.",
        .fields =
            {
                field("action", &HumanFeedback::action, "What to do now.", {.required = true}),
                field("message", &HumanFeedback::message, "What the person says."),
                field("state_updates", &HumanFeedback::state_updates, "Changes of the state."),
            },
        .home = {Home::Kind::message, "what a person answers at a checkpoint"},
        .example = R"({"action":"modify","message":"Shorter, please.","state_updates":{"routing_key":"rewrite"}})",
    };
    return entity;
}

std::vector<Message> messages(std::span<const Step> history, const Dict<std::string>& servers)
{
    std::vector<Message> out;
    for (const Step& step : history) add_messages(out, step, servers);
    return out;
}

Checkpoint view(const model::Checkpoint& checkpoint, std::span<const Step> history, const Dict<std::string>& servers)
{
    std::map<std::string_view, const Step*> steps;
    for (const Step& step : history) steps.emplace(step.id, &step);
    State state{.next_action = checkpoint.state.next_action,
                .current_agent = checkpoint.state.current_agent,
                .routing_key = checkpoint.state.routing_key,
                .metadata = checkpoint.state.metadata};
    for (const std::string& id : checkpoint.state.messages)
        if (const auto step = steps.find(id); step != steps.end()) add_messages(state.messages, *step->second, servers);
    json::object ext{{"schema_version", kSchemaVersion}};
    if (checkpoint.resumed_at) ext["resumed_at"] = to_iso(*checkpoint.resumed_at);
    return {.checkpoint_id = checkpoint.id,
            .task_id = checkpoint.task,
            .state = std::move(state),
            .position = checkpoint.position,
            .sequence = checkpoint.seq,
            .created_at = checkpoint.created_at,
            .awaiting_human = checkpoint.awaiting_human,
            .ext = std::move(ext)};
}

HumanAnswer from(const HumanFeedback& feedback)
{
    HumanAnswer answer{.message = feedback.message, .updates = feedback.state_updates};
    switch (feedback.action) {
    case FeedbackAction::approve: answer.verb = HumanVerb::approve; break;
    case FeedbackAction::reject: answer.verb = HumanVerb::reject; break;
    case FeedbackAction::modify: answer.verb = HumanVerb::modify; break;
    }
    return answer;
}

State updated(State state, const json::object& update, const Dict<StateField>& declared)
{
    return detail::updated(std::move(state), update, declared);
}

}  // namespace cadre::model::framework
