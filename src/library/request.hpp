// What a program starts, as the engine wants it.
#pragma once

#include "cadre/engine.hpp"
#include "engine/commands.hpp"

#include <memory>
#include <string>

namespace cadre::home {
class Project;
}

namespace cadre::library {

struct StartRequest {
    std::string name{};  // of an agent or team of the project; empty: `agent`
    Agent agent{};
    std::string prompt{};
    StartOptions options{};
    Limits limits{};      // the engine's, where the options say nothing
    std::string model{};  // the engine's; empty: none
    bool has_project = false;
};

/// Reads files of the project, if it is one of its agents. Throws Error that says what is wrong and what to do.
engine::CreateTask task_from(const std::shared_ptr<const home::Project>& project, const StartRequest& request);

/// Any text is the name of a session; a UUID is its id itself.
std::string session_id(const std::string& name);

}  // namespace cadre::library
