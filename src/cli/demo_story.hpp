// What happens in the demo: the files of its project. The script speaks for the team.
#pragma once

#include <string_view>

namespace cadre::cli {

inline constexpr std::string_view kDemoPrompt = "Plan a picnic for six and write the invitation.";
inline constexpr std::string_view kDemoAnswer = "Saturday";

/// The team's file, picnic.yaml.
std::string_view demo_team();
/// Of the folder around it, cadre.yaml: its model is the script.
std::string_view demo_project();
/// The scripted model's file, script.yaml.
std::string_view demo_script();

}  // namespace cadre::cli
