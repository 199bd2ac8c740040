// What `ask` asks: the domains that config/domains.yaml has, the agents that decide and answer, and what the session knows.
#pragma once

#include "home/project/prepare_task.hpp"

#include <memory>

namespace cadre::engine {
struct TaskState;
}

namespace cadre::home {

/// A question to the domains of the project, else of its home. `last`: the last turn of its session that has begun; null: there is none.
/// Throws Error that says what is wrong and what to do: no file, a faulty one, nothing that can be asked, no model where one must decide.
PreparedTask prepare_ask(const std::shared_ptr<const Project>& here, const RunRequest& wanted,
                         const engine::TaskState* last);

}  // namespace cadre::home
