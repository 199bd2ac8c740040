// A JSON Schema 2020-12 of an entity, for editors, tools and strangers.
#pragma once

#include "model/describe.hpp"

#include <boost/json/fwd.hpp>

namespace cadre::model {

/// Self-contained: the entities it uses stand in `$defs`.
boost::json::value json_schema(const Entity& entity);

}  // namespace cadre::model
