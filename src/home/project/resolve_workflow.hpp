// A workflow as it would run: its nodes, the workflows that it nests, and the agents and tools that all of them name.
#pragma once

#include "config/contents.hpp"
#include "home/project/resolve.hpp"

#include <string>
#include <vector>

namespace cadre::home {

/// `contents` has the workflow's file as its last; `all` is what was said of it.
Resolution resolve_workflow(config::Contents contents, const Project& project, const std::string& model,
                            config::Findings all);

/// What the arguments of its tool nodes have against the tools, as far as these are described in `team`: one line each, beginning with the
/// node. Texts with templates in them may become anything.
std::vector<std::string> argument_problems(const model::WorkflowSetup& workflow, const model::Team& team);

// ---- what every kind of file goes through ----

/// Makes the team, which `file` says, whole: prompts, programs, servers and models.
void complete(model::Team& team, const config::File& file, const config::Contents& contents, const Project& project,
              const std::string& model, Resolution& result);
std::vector<std::string> provider_names_of(const Project& project);

}  // namespace cadre::home
