// What an agent of a team may ask of others, as tools: `handoff`, `delegate`, `collaborate`.
#pragma once

#include "engine/agent.hpp"
#include "model/part.hpp"
#include "patterns/team/next.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cadre::patterns {

inline constexpr std::string_view kHandoff = "handoff";
inline constexpr std::string_view kDelegate = "delegate";
inline constexpr std::string_view kCollaborate = "collaborate";

/// An agent with the tools of a team among its own, and what these may be called with.
struct Member {
    engine::Agent agent{};
    std::vector<HandoffWay> ways{};                       // from this agent
    std::vector<model::CollaborationPattern> patterns{};  // that it may begin
};

/// Whom a member may hand over to.
enum class Reach : std::uint8_t {
    everybody,  // that its rules name
    below,      // whom it waits for: it works for another agent itself
};

/// Throws Error(invalid) when the agent has a tool of its own with the name of one of these.
Member member_of(const model::Team& team, const std::vector<HandoffWay>& ways, const engine::Agent& agent,
                 Reach reach = Reach::everybody);
/// One that delegates to those of the pattern, whatever the rules say.
Member coordinator_of(const model::CollaborationPattern& pattern, const engine::Agent& agent);

/// Something that another agent is to do, or several as a pattern says, while the one that asks waits.
struct Errand {
    std::string call{};
    std::string to{};  // an agent, or a pattern
    std::string task{};
    std::string reason{};
    boost::json::object context{};
};

/// The calls of one step.
struct Sorted {
    std::vector<model::ToolCall> tools{};          // of the agent's own; those that are refused are among them
    std::map<std::string, std::string> refused{};  // why, by call
    std::vector<Errand> below{};                   // for child tasks
    std::vector<Errand> patterns{};
    std::vector<Handoff> beside{};     // parallel: both go on
    std::optional<Handoff> handoff{};  // sequential: the turn ends
};

/// `names` is asked when a condition must be looked at.
Sorted sorted(const Member& member, const std::vector<model::ToolCall>& calls, const MakeNames& names);

}  // namespace cadre::patterns
