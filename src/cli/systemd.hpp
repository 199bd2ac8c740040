// What systemd and its like tell a service, and want to hear from it: sockets that are open already, and how it is.
#pragma once

#include "base/time.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::cli {

/// Sockets that were opened for this process ($LISTEN_FDS), in their order; processes that it starts do not get them. To be asked once,
/// before threads are started.
std::vector<int> inherited_sockets();

/// Tells the one who watches over this process ($NOTIFY_SOCKET) how it is: `READY=1`, `RELOADING=1`, `STOPPING=1`. Nobody may watch, or they may not
/// listen: that is no trouble of ours.
void tell_supervisor(std::string_view words);
/// How often they want to hear that it lives, at least; nothing: they do not.
std::optional<Millis> supervisor_patience();

}  // namespace cadre::cli
