// What plans ask of other rooms: memory, messages, files, guardrails, a shorter conversation.
#pragma once

#include "base/async_fwd.hpp"
#include "sim/plan.hpp"

#include <string>
#include <string_view>

namespace cadre::sim {

inline constexpr std::string_view kMail = "mail";  // a channel that knows a message by its key; others do not
inline constexpr std::string_view kSuspicious = "suspicious";  // texts that policies look at begin so
inline constexpr std::string_view kLong = "long";              // messages that fill the window begin so

/// One of these acts.
PlanStep some_seam(Chance& chance);
Async<std::string> play_seam(engine::Run& run, const PlanStep& step);

}  // namespace cadre::sim
