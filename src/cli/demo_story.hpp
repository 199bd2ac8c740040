// What happens in the demo: its team, and the script that speaks for it.
#pragma once

#include "model/team.hpp"

#include <filesystem>
#include <string_view>

namespace cadre::cli {

inline constexpr std::string_view kDemoPrompt = "Plan a picnic for six and write the invitation.";
inline constexpr std::string_view kDemoAnswer = "Saturday";

model::Team demo_team();
/// A scripted model's file.
std::string_view demo_script();

}  // namespace cadre::cli
