// CreateTask on the control socket.
#pragma once

#include "engine/commands.hpp"

#include <boost/json/object.hpp>

namespace cadre::cli {

boost::json::object to_args(const engine::CreateTask& task);
/// Throws Error(invalid).
engine::CreateTask create_task_from(const boost::json::object& args);

}  // namespace cadre::cli
