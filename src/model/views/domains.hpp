// Document 003's words, each with its exact fields: questions to data domains and their answers. Nulls are written.
#pragma once

#include "model/call.hpp"
#include "model/decision.hpp"
#include "model/problem.hpp"
#include "model/reply.hpp"
#include "model/router_kind.hpp"
#include "model/session.hpp"
#include "model/step.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::model::domains {

inline constexpr std::int64_t kToolLimitMs = 50'000;
inline constexpr std::int64_t kAnswerLimitMs = 60'000;
inline constexpr std::size_t kMaxSuggestions = 3;

struct ToolCall {
    std::string tool_id{};
    std::string tool_name{};
    std::string domain{};
    boost::json::object input_params{};
    CallStatus status = CallStatus::pending;
    std::optional<boost::json::object> result{};
    std::optional<std::string> error{};
    std::optional<Time> started_at{};  // null only while pending
    std::optional<Time> completed_at{};
    std::optional<std::int64_t> execution_time_ms{};

    bool operator==(const ToolCall&) const = default;
};
const Entity& describe(const ToolCall*);

/// Only two of the four roles speak here.
enum class Speaker : std::uint8_t { user, assistant };
std::span<const EnumName> names_of(const Speaker*);

struct Message {
    Speaker role = Speaker::user;
    std::string content{};
    Time timestamp{};
    std::optional<std::vector<ToolCall>> tool_calls{};
    boost::json::object metadata{};

    bool operator==(const Message&) const = default;
};
const Entity& describe(const Message*);

struct Conversation {
    std::string session_id{};
    std::vector<Message> messages{};
    Time created_at{};
    Time last_updated{};
    boost::json::object metadata{};

    bool operator==(const Conversation&) const = default;
};
const Entity& describe(const Conversation*);

struct Domain {
    std::string name{};
    std::string display_name{};
    std::string description{};
    std::vector<std::string> capabilities{};
    std::vector<std::string> mcp_tools{};
    std::vector<std::string> related_domains{};
    bool enabled = true;
    boost::json::object
        ext{};  // `source`: what its data is called; `poll`: the tool that is asked while another is at work

    bool operator==(const Domain&) const = default;
};
const Entity& describe(const Domain*);

/// How questions are answered.
struct AskOptions {
    int total_ms = int(kAnswerLimitMs);
    int tool_ms = int(kToolLimitMs);
    int max_parallel = 8;
    double confidence_threshold = kConfidenceThreshold;
    int max_attempts = 3;
    std::optional<RouterKind> router{};  // null: a model where one can be asked, else local

    bool operator==(const AskOptions&) const = default;
};
const Entity& describe(const AskOptions*);

/// domains.yaml as a whole; a bare list of domains is read too.
struct Domains {
    std::vector<Domain> domains{};
    AskOptions ask{};

    bool operator==(const Domains&) const = default;
};
const Entity& describe(const Domains*);

/// The document's AgentResponse: the synthesised answer (C-07).
struct AnswerView {
    std::string answer{};
    std::vector<std::string> sources{};
    std::vector<ToolCall> tool_calls_made{};
    std::vector<std::string> suggestions{};
    Confidence confidence = Confidence::high;
    std::int64_t total_execution_time_ms = 0;
    bool partial_results = false;

    bool operator==(const AnswerView&) const = default;
};
const Entity& describe(const AnswerView*);

struct DomainRoutingDecision {
    std::string user_query{};
    std::vector<std::string> identified_domains{};
    std::string reasoning{};
    double confidence = 0;
    bool ambiguity_detected = false;
    bool clarification_needed = false;

    bool operator==(const DomainRoutingDecision&) const = default;
};
const Entity& describe(const DomainRoutingDecision*);

std::vector<const Entity*> entities();

/// Kernel to document.
ToolCall view(const Call& call);
AnswerView view(const Reply& reply);
DomainRoutingDecision view(const Decision& decision);
/// The session with its messages: user and assistant text. Calls of steps that say nothing go to the assistant's next
/// message; a question whose turn died is followed by an assistant message that says so and has its calls (C-05). Of
/// several texts of one turn the last is the answer, `metadata.said_before` has the others.
/// There is no way back: the document has no place for text of tools and the system, for parts that are no text, for what
/// an assistant said or called before the first question, and for calls of a turn that has said nothing yet.
Conversation view(const Session& session, std::span<const Step> history, std::span<const Domain> domains = {});

/// Document to kernel.
Call from(const ToolCall& call);
Decision from(const DomainRoutingDecision& decision);

/// The conversation with one more message; those that are there never change.
Conversation appended(Conversation conversation, Message message);
ConversationState state_of(const Conversation& conversation, Time now);

/// The domain that has the tool.
const Domain* find_domain(std::span<const Domain> domains, std::string_view tool);
/// Reports names that two domains share, and tools and related domains that do not exist.
void check_domains(std::span<const Domain> domains, std::span<const std::string> tools, Problems& problems);
/// Reports a call whose tool or domain is not registered.
void check_known(const ToolCall& call, std::span<const Domain> domains, std::span<const std::string> tools,
                 Problems& problems);

}  // namespace cadre::model::domains
