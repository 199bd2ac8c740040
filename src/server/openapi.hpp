// The OpenAPI 3.1 document of a table of routes: for generators of clients, consoles and people.
#pragma once

#include "server/route.hpp"

#include <boost/json/fwd.hpp>

#include <span>
#include <string>

namespace cadre::server {

struct OpenApiInfo {
    std::string version{};  // of this program
    std::string url = "/";  // where it is served
};

/// Schemas are those of the described entities, each once. Throws Error(internal) when two entities have one name.
boost::json::value openapi_document(std::span<const Route> routes, const OpenApiInfo& info);

}  // namespace cadre::server
