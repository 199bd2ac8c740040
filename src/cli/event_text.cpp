#include "cli/event_text.hpp"

#include "base/json.hpp"
#include "base/member_text.hpp"
#include "base/plural.hpp"
#include "cli/task_text.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::cli {

bool said_by_person(const model::ToolResult& result)
{
    return result.resource_usage && result.resource_usage->contains("said_by_person");
}
namespace {

std::string took(const std::optional<std::int64_t>& ms)
{
    return ms ? fmt::format(" ({})", cadre::to_text(Millis(*ms))) : "";
}

std::string after_colon(std::string_view text)
{
    return text.empty() ? "" : fmt::format(": {}", text);
}

/// `report.md` of `file://artifacts/report.md`
std::string file_in(std::string_view uri)
{
    constexpr std::string_view kFiles = "file://artifacts/";
    return std::string(uri.starts_with(kFiles) ? uri.substr(kFiles.size()) : uri);
}

constexpr std::string_view kApprove = "approve", kReject = "reject", kAbstain = "abstain";

struct Words {
    std::string operator()(const model::TaskStartEvent& event) const { return "started: " + event.initial_prompt; }
    std::string operator()(const model::TaskCompleteEvent& event) const
    {
        const std::string spent =
            fmt::format("{} after {}", plural(static_cast<std::size_t>(event.total_steps), "model call"),
                        cadre::to_text(Millis(event.total_duration_ms)));
        switch (event.final_status) {
        case model::FinalStatus::success: break;
        case model::FinalStatus::error:
            return fmt::format("failed{} ({})", after_colon(event.summary.value_or("")), spent);
        case model::FinalStatus::cancelled: return fmt::format("cancelled ({})", spent);
        }
        return fmt::format("completed ({})", spent);
    }
    std::string operator()(const model::TaskPausedEvent& event) const
    {
        if (event.context.contains("request_id")) return "waits for a person";
        std::string why(model::wire_name(event.reason));
        if (const std::string own = text_in(event.context, "reason"); !own.empty()) why = own;
        return fmt::format("paused, {}{}", why, after_colon(text_in(event.context, "text")));
    }
    std::string operator()(const model::TaskResumedEvent&) const { return "resumed"; }
    std::string operator()(const model::AgentStartEvent& event) const { return event.agent_name + " thinks"; }
    std::string operator()(const model::AgentCompleteEvent& event) const
    {
        const std::string tokens = event.token_count ? fmt::format(", {} tokens", *event.token_count) : "";
        return event.agent_name + " has answered" + tokens + took(event.execution_time_ms);
    }
    std::string operator()(const model::AgentHandoffEvent& event) const
    {
        const std::string why = after_colon(event.reason);
        switch (event.handoff_type) {
        case model::HandoffType::sequential: break;
        case model::HandoffType::parallel:
            return fmt::format("{} has {} work beside it{}", event.from_agent, event.to_agent, why);
        case model::HandoffType::hierarchical:
            return fmt::format("{} has {} do a part{}", event.from_agent, event.to_agent, why);
        }
        return fmt::format("{} hands over to {}{}", event.from_agent, event.to_agent, why);
    }
    std::string operator()(const model::ParallelExecutionStartEvent& event) const
    {
        std::string text =
            fmt::format("{} at the same time: {}", plural(event.agents.size(), "agent"), fmt::join(event.agents, ", "));
        if (!event.sync_points.empty()) text += fmt::format("; they meet at {}", fmt::join(event.sync_points, ", "));
        if (event.coordination_agent) text += fmt::format("; {} merges", *event.coordination_agent);
        return text;
    }
    std::string operator()(const model::ParallelExecutionSyncEvent& event) const
    {
        const std::size_t there = event.completed_agents.size(), all = there + event.waiting_agents.size();
        if (there == all) return fmt::format("{}: all {} are there", event.sync_point, all);
        return fmt::format("{}: {} of {} {} there, waiting for {}", event.sync_point, there, all,
                           there == 1 ? "is" : "are", fmt::join(event.waiting_agents, ", "));
    }
    std::string operator()(const model::ConsensusProposalEvent& event) const
    {
        return fmt::format("{} proposes{}", event.proposer_agent, after_colon(event.decision));
    }
    std::string operator()(const model::ConsensusVoteEvent& event) const
    {
        std::string verb = "votes " + event.vote;
        if (event.vote == kApprove) verb = "approves";
        if (event.vote == kReject) verb = "rejects";
        if (event.vote == kAbstain) verb = "abstains";
        return fmt::format("{} {}{}", event.voter_agent, verb, after_colon(event.reasoning));
    }
    std::string operator()(const model::ConsensusReachedEvent& event) const
    {
        const auto in_favour = std::ranges::count(event.votes, kApprove, &model::Dict<std::string>::Item::second);
        return fmt::format("decided, {} of {} for it{}", in_favour, plural(event.votes.size(), "vote"),
                           after_colon(event.final_decision));
    }
    std::string operator()(const model::ToolCallEvent& event) const
    {
        return fmt::format("{} calls {} {}", event.agent_name, event.tool_call.tool_name,
                           cadre::to_text(boost::json::value(event.tool_call.args)));
    }
    std::string operator()(const model::ToolResultEvent& event) const
    {
        const model::ToolResult& result = event.tool_result;
        if (result.error) return fmt::format("  failed: {}{}", *result.error, took(result.execution_time_ms));
        if (said_by_person(result)) return fmt::format("  gave {}, a person said", result.result);
        return fmt::format("  gives {}{}", result.result, took(result.execution_time_ms));
    }
    std::string operator()(const model::HITLRequestEvent& event) const
    {
        model::HumanRequest request{.agent = event.agent_name, .context = event.context};
        if (event.request_type != model::HitlRequestType::approval) request.type = model::HumanRequestType::feedback;
        if (text_in(event.context, "reason") == "outcome_unknown")
            request.type = model::HumanRequestType::outcome_unknown;
        return question_text(request);
    }
    std::string operator()(const model::HITLResponseEvent& event) const
    {
        const std::string by = text_in(event.response_data, "by"), answer = text_in(event.response_data, "answer");
        std::string text(model::wire_name(event.response_type));
        if (answer == "happened") text = "it happened, a person says";
        if (answer == "not_happened") text = "it did not happen, a person says";
        return text + (by.empty() ? "" : " (" + by + ")") + after_colon(text_in(event.response_data, "message"));
    }
    std::string operator()(const model::ErrorEvent& event) const
    {
        if (event.error_type == "dead_end") return event.error_message;
        const std::string agent = event.recoverable ? text_in(event.context, "agent") : "";
        if (!agent.empty()) return fmt::format("{}: {}", agent, event.error_message);
        return fmt::format("{}: {}", event.recoverable ? "will retry" : "error", event.error_message);
    }
    std::string operator()(const model::RecoveryEvent& event) const
    {
        if (const std::string model = text_in(event.details, "model"); !model.empty())
            return "asks " + model + " instead";
        const auto* attempt = event.details.if_contains("attempt");
        if (event.success) return attempt ? fmt::format("attempt {} succeeded", cadre::to_text(*attempt)) : "succeeded";
        return attempt ? fmt::format("retrying, attempt {}", cadre::to_text(*attempt)) : "retrying";
    }
    std::string operator()(const model::BreakpointHitEvent& event) const { return "breakpoint " + event.breakpoint_id; }
    std::string operator()(const model::UserInterventionEvent& event) const
    {
        switch (event.intervention_type) {
        case model::InterventionType::instruction: break;
        case model::InterventionType::plan_update: return "plan changed";
        case model::InterventionType::agent_override: return "next agent: " + text_in(event.details, "next_agent");
        case model::InterventionType::team_modification: return "team changed";
        }
        return "told: " + text_in(event.details, "instruction");
    }
    std::string operator()(const model::ArtifactCreatedEvent& event) const
    {
        return "made " + file_in(event.artifact.uri);
    }
    std::string operator()(const model::ArtifactModifiedEvent& event) const
    {
        const std::string file = file_in(event.artifact_uri);
        if (event.changes.contains("deleted")) return "removed " + file;
        return fmt::format("changed {}: version {}", file, event.version);
    }
    std::string operator()(const model::ArtifactVersionedEvent& event) const
    {
        return fmt::format("kept version {} of {}", event.old_version, file_in(event.artifact_uri));
    }
    /// Of those that nothing writes yet: their name.
    std::string operator()(const auto& event) const
    {
        constexpr std::string_view kPrefix = "event_";
        std::string name(model::type_of(model::Event(event)));
        if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
        std::ranges::replace(name, '_', ' ');
        return name;
    }
};

}  // namespace

std::string words_of(const model::Event& event)
{
    return std::visit(Words(), event);
}

namespace {

/// Nothing: it is not a plan.
boost::json::array items_in(std::string_view json)
{
    boost::system::error_code not_json;
    const boost::json::value value = boost::json::parse(json, not_json);
    const auto* object = not_json ? nullptr : value.if_object();
    const auto* items = object ? object->if_contains("tasks") : nullptr;
    if (!items || !items->is_array()) return {};
    const auto is_item = [](const boost::json::value& one) {
        return one.is_object() && !text_in(one.get_object(), "id").empty();
    };
    return std::ranges::all_of(items->get_array(), is_item) ? items->get_array() : boost::json::array();
}

}  // namespace

std::vector<std::string> plan_lines(std::string_view json)
{
    std::vector<std::string> lines;
    for (const boost::json::value& value : items_in(json)) {
        const auto& item = value.get_object();
        std::vector<std::string> before;
        const auto* names = item.if_contains("depends_on");
        if (names && names->is_array())
            for (const auto& name : names->get_array())
                if (name.is_string()) before.emplace_back(name.get_string());
        lines.push_back(fmt::format("{} ({}){}{}", text_in(item, "id"), text_in(item, "agent"),
                                    after_colon(text_in(item, "action")),
                                    before.empty() ? "" : fmt::format(", after {}", fmt::join(before, ", "))));
    }
    return lines;
}

std::string plan_text(std::string_view json)
{
    const boost::json::array items = items_in(json);
    if (items.empty()) return "plan";
    std::string text = "plan: " + plural(items.size(), "item");
    for (const char* status : {"completed", "failed", "skipped"}) {
        const auto count = std::ranges::count_if(
            items, [&](const boost::json::value& item) { return text_in(item.get_object(), "status") == status; });
        if (count > 0) text += fmt::format(", {} {}", count, status);
    }
    return text;
}

std::string node_title(std::string_view node, std::string_view agent, bool utf8)
{
    if (node.empty() || node == agent) return std::string(agent);  // a team's turn is a node of its agent's name
    return fmt::format("{} {}{}", utf8 ? "▸" : ">", node, agent.empty() ? "" : fmt::format(" ({})", agent));
}

std::string node_title(const model::Event& event, bool utf8)
{
    const auto* start = std::get_if<model::AgentStartEvent>(&event);
    if (start && start->node) return node_title(*start->node, start->agent_name, utf8);
    const auto* call = std::get_if<model::ToolCallEvent>(&event);
    return call && call->node ? node_title(*call->node, call->agent_name, utf8) : "";
}

std::optional<EventMark> team_mark(const model::Event& event, bool utf8)
{
    if (const auto* handoff = std::get_if<model::AgentHandoffEvent>(&event)) {
        if (handoff->handoff_type == model::HandoffType::sequential) return EventMark{utf8 ? "→" : ">", Tone::bold};
        return EventMark{utf8 ? "↳" : ">", Tone::bold};
    }
    if (std::holds_alternative<model::ParallelExecutionStartEvent>(event))
        return EventMark{utf8 ? "⇉" : "=", Tone::bold};
    if (const auto* sync = std::get_if<model::ParallelExecutionSyncEvent>(&event))
        return EventMark{utf8 ? "◆" : "+", sync->waiting_agents.empty() ? Tone::green : Tone::yellow};
    if (std::holds_alternative<model::ConsensusProposalEvent>(event)) return EventMark{"?", Tone::bold};
    if (const auto* vote = std::get_if<model::ConsensusVoteEvent>(&event)) {
        if (vote->vote == kApprove) return EventMark{utf8 ? "✓" : "*", Tone::green};
        if (vote->vote == kReject) return EventMark{utf8 ? "✗" : "x", Tone::red};
        return EventMark{utf8 ? "○" : "o", Tone::yellow};
    }
    if (std::holds_alternative<model::ConsensusReachedEvent>(event)) return EventMark{utf8 ? "●" : "#", Tone::green};
    const auto* error = std::get_if<model::ErrorEvent>(&event);
    if (error && error->recoverable && error->context.contains("agent")) return EventMark{utf8 ? "✗" : "x", Tone::red};
    return std::nullopt;
}

bool is_progress(const model::Event& event)
{
    return std::holds_alternative<model::ToolCallEvent>(event) ||
           std::holds_alternative<model::ToolResultEvent>(event) || team_mark(event, false) ||
           std::holds_alternative<model::RecoveryEvent>(event) ||
           (std::holds_alternative<model::ErrorEvent>(event) && std::get<model::ErrorEvent>(event).recoverable);
}

}  // namespace cadre::cli
