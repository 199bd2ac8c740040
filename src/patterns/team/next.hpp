// Who is next in a team: a plain function of its rules and of what was said.
#pragma once

#include "patterns/team/turn.hpp"
#include "text/template/template.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::patterns {

/// A rule of a team, parsed.
struct HandoffWay {
    std::string from{};
    std::string to{};
    model::HandoffType type = model::HandoffType::sequential;
    std::optional<text::Expression> condition{};
    std::string place{};  // `handoff_rules[2]`, for errors
};

/// In the order of the file. Throws Error(invalid) for a condition that cannot be parsed.
std::vector<HandoffWay> ways_of(const model::Team& team);

/// The names of a condition, made when one is looked at.
using MakeNames = std::function<text::Scope()>;

/// Who carries on behind the turn; nothing: its answer is that of the team. What the agent called for comes first; then the first rule
/// whose condition is true; then the only rule without one, if nobody comes back along such rules: a chain runs through, and a circle is
/// the agents' own decision. Only sequential rules lead on by themselves: the others say what an agent does that calls for them.
/// Throws Error(invalid) for a condition that cannot be evaluated.
std::optional<Handoff> next_after(const std::vector<HandoffWay>& ways, const Turn& turn, const MakeNames& names);

}  // namespace cadre::patterns
