// ForkTask on the control socket, and what comes back.
#pragma once

#include "engine/commands.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace cadre::home {

boost::json::object to_args(const engine::ForkTask& fork);
/// Without its budget, of which only the pieces that change are sent. Throws Error(invalid).
engine::ForkTask fork_task_from(const boost::json::object& args);

/// `{"task":…,"from":…,"reused":5,"model_calls":2,"live":["think:3"],"events":9}`
std::string to_json(const engine::ForkReport& report);
engine::ForkReport fork_report_from(const boost::json::object& json);

}  // namespace cadre::home
