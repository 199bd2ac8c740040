// From where a request comes, for counting failures and for the audit.
#pragma once

#include "config/server_settings.hpp"
#include "net/http_request_parser.hpp"

#include <string>
#include <string_view>

namespace cadre::server {

/// `peer` is the other end of the connection, with its port. Behind a proxy it is the proxy, and the address is what that has written last
/// into the header that the settings name; in any other header, and without a proxy, anybody could have written anything.
std::string client_address(const net::HttpHead& head, std::string_view peer, const config::ServerSettings& settings);

}  // namespace cadre::server
