// The headers that modern servers want over HTTP: who is asked for what, and the arguments that a tool's schema names.
#pragma once

#include "net/http.hpp"

#include <boost/json/fwd.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace cadre::mcp {

/// MCP-Protocol-Version, Mcp-Method and, where the method has one, Mcp-Name.
net::HttpHeaders standard_headers(std::string_view version, std::string_view method, const boost::json::object& params);

/// As it is, or `=?base64?…?=` for what a header cannot carry or a proxy would change.
std::string header_value(std::string_view text);

/// What is wrong with the `x-mcp-header` annotations of a tool's input schema; nothing when they can be followed, or there are none.
std::optional<std::string> header_problem(const boost::json::object& schema);

/// Mcp-Param-… for each argument that is annotated, present and not null.
net::HttpHeaders parameter_headers(const boost::json::object& schema, const boost::json::object& arguments);

}  // namespace cadre::mcp
