// From where a request comes, for counting failures and for the audit.
#pragma once

#include "net/http_request_parser.hpp"

#include <string>
#include <string_view>

namespace cadre::server {

/// `peer` is the other end of the connection, with its port. Behind a proxy it is the proxy, and the address is what that has written last
/// into Forwarded or X-Forwarded-For; everywhere else anybody could have written there anything.
std::string client_address(const net::HttpHead& head, std::string_view peer, bool behind_proxy);

}  // namespace cadre::server
