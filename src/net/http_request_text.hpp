// Requests as they go over the wire, and what about them is refused before that.
#pragma once

#include "net/http.hpp"

#include <string>
#include <string_view>

namespace cadre::net {

struct Proxy;
struct Url;

/// Line and headers up to the empty line. `proxy` is the one that is spoken to itself, as for http. Throws Error(invalid) that
/// names a header and never shows its value.
std::string request_head(const HttpRequest& request, const Url& url, const Proxy* proxy, const std::string& user_agent);

/// What asks a proxy for a tunnel to `target`, a host and its port.
std::string connect_head(const std::string& target, const Proxy& proxy);

/// The caller wants to hear `100 Continue` before the body goes.
bool expects_continue(const HttpRequest& request);

/// May be the name of a header or a method (RFC 9110 §5.6.2).
bool is_token(std::string_view text);

/// Asking again changes nothing (RFC 9110 §9.2.1).
bool is_safe(const std::string& method);

}  // namespace cadre::net
