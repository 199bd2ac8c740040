// What guardrails are asked about a text of a run.
#pragma once

#include "engine/guard.hpp"

#include <string>
#include <string_view>

namespace cadre::engine {

class RunState;

/// Whether there are guardrails that look at texts of that agent there.
bool is_watched(const RunState& state, Place place, std::string_view agent);
GuardedText guarded_text(const RunState& state, Place place, std::string agent, std::string text);

/// The policies that do not let it pass, for a model or a person: why, not what.
std::string blocked_by(const GuardVerdict& verdict);
/// How many events it stands for.
int count_violations(const GuardVerdict& verdict);

}  // namespace cadre::engine
