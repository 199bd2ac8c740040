// Addresses of sockets as people write them.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>

#include <string>

namespace cadre::net {

/// `127.0.0.1:8080`, `[::1]:8080`; `unix` for a socket of this machine.
std::string text_of(const boost::asio::generic::stream_protocol::endpoint& end);

}  // namespace cadre::net
