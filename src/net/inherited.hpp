// Sockets that somebody else has opened for us to listen at, as systemd does.
#pragma once

#include <string>

namespace cadre::net {

/// Where it listens: `127.0.0.1:8080`, `unix:/run/cadre.sock`. Throws Error(invalid) for what is not a socket that listens.
std::string listening_name(int descriptor);

}  // namespace cadre::net
