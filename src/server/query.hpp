// The query of a URL as JSON, so that it is read like any other input.
#pragma once

#include <boost/json/fwd.hpp>

#include <string_view>

namespace cadre::model {
struct Entity;
}

namespace cadre::server {

/// `limit=5&status=running` as `{"limit":5,"status":"running"}`: fields of the entity that are numbers, flags or lists become such;
/// what is not one stays a text, and whoever reads it says so. Throws HttpRefusal(400) for what is malformed: escapes, a name twice.
boost::json::object query_object(std::string_view query, const model::Entity& entity);

}  // namespace cadre::server
