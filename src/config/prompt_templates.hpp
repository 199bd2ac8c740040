// The templates of a team's prompts, read from the project's files.
#pragma once

#include "config/contents.hpp"

namespace cadre::config {

/// All templates of a team together: they are kept with each task's configuration.
inline constexpr std::size_t kMaxTemplateBytes = 1 << 20;

/// Puts the texts of the templates that the team's agents name, and of what these include, into `team.templates`, and has the agents
/// name them by the same paths: from the root of `file`. What is wrong with one goes to `findings`, with its place in the template.
void take_templates(model::Team& team, const File& file, Findings& findings);

}  // namespace cadre::config
