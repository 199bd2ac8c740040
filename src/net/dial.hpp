// From a host's name to a connected socket, without blocking the loop.
#pragma once

#include "base/async_fwd.hpp"
#include "net/ip_address.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace cadre::net {

class Loop;

/// The addresses of a name, best first; of an address, itself. Throws Error(upstream). A cancelled question to the system's
/// resolver goes on in a thread of its own, and nobody hears its answer.
Async<std::vector<IpAddress>> resolve(Loop& loop, std::string host);

/// The first connection that comes about. Addresses are tried in turn, IPv6 and IPv4 by turns, each when the one before has failed
/// or has let a quarter of a second pass (RFC 8305, without its races of resolvers). Throws Error(upstream).
Async<boost::asio::ip::tcp::socket> connect_any(Loop& loop, std::vector<IpAddress> addresses, std::uint16_t port);

}  // namespace cadre::net
