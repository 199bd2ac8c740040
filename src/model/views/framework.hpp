// Document 000's words, each with its exact fields: the files of the home directory and the CLI's `--json`. Its Workflow
// is the kernel's Graph (graph.hpp), whose names on the wire are the document's.
#pragma once

#include "model/views/framework_agent.hpp"
#include "model/views/framework_retention.hpp"
#include "model/views/framework_servers.hpp"
#include "model/views/framework_state.hpp"
#include "model/views/framework_task.hpp"
#include "model/views/framework_trace.hpp"

#include <vector>

namespace cadre::model::framework {

std::vector<const Entity*> entities();

}  // namespace cadre::model::framework
