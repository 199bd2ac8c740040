// Document 000: State, Message, ToolCall, Checkpoint and human feedback, with its exact names.
#pragma once

#include "model/checkpoint.hpp"
#include "model/human.hpp"
#include "model/step.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::model::framework {

struct ToolCall {
    std::string id{};
    std::string server{};
    std::string tool{};
    boost::json::object arguments{};

    bool operator==(const ToolCall&) const = default;
};
const Entity& describe(const ToolCall*);

struct Message {
    Role role = Role::user;
    std::string content{};
    std::optional<std::vector<ToolCall>> tool_calls{};
    Time timestamp{};

    bool operator==(const Message&) const = default;
};
const Entity& describe(const Message*);

struct State {
    std::vector<Message> messages{};
    std::optional<std::string> next_action{};
    std::string current_agent{};
    std::optional<std::string> routing_key{};
    boost::json::object metadata{};

    bool operator==(const State&) const = default;
};
const Entity& describe(const State*);

struct Checkpoint {
    std::string checkpoint_id{};
    std::string task_id{};
    State state{};
    std::string position{};
    int sequence = 0;
    Time created_at{};
    bool awaiting_human = false;
    boost::json::object ext{};

    bool operator==(const Checkpoint&) const = default;
};
const Entity& describe(const Checkpoint*);

/// Read in both spellings, approve and approved (C-15).
enum class FeedbackAction : std::uint8_t { approve, reject, modify };
std::span<const EnumName> names_of(const FeedbackAction*);

struct HumanFeedback {
    FeedbackAction action = FeedbackAction::approve;
    std::string message{};
    boost::json::object state_updates{};

    bool operator==(const HumanFeedback&) const = default;
};
const Entity& describe(const HumanFeedback*);

/// Steps as messages: text and calls of a step are one message, each tool result is one of role tool (C-05). Steps that
/// say nothing (memory, guardrails, artifacts) are not messages. `servers` says which MCP server has which tool.
std::vector<Message> messages(std::span<const Step> history, const Dict<std::string>& servers = {});

/// The checkpoint with the messages that its state refers to, taken from the history of its task.
Checkpoint view(const model::Checkpoint& checkpoint, std::span<const Step> history,
                const Dict<std::string>& servers = {});

HumanAnswer from(const HumanFeedback& feedback);

/// The rule of model::updated, for whole messages.
State updated(State state, const boost::json::object& update, const Dict<StateField>& declared = {});

}  // namespace cadre::model::framework
