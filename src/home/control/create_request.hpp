// CreateTask on the control socket.
#pragma once

#include "engine/commands.hpp"

#include <boost/json/object.hpp>

#include <string_view>

namespace cadre::home {

/// Beside them, from another process than the owner's: see endpoint_fingerprints().
inline constexpr std::string_view kEndpointFingerprints = "endpoints";

boost::json::object to_args(const engine::CreateTask& task);
/// Throws Error(invalid).
engine::CreateTask create_task_from(const boost::json::object& args);

}  // namespace cadre::home
