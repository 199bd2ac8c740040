// A JSON Schema 2020-12 of an entity, for editors, tools and strangers. It accepts what the reader accepts and refuses what the
// reader refuses, as far as JSON Schema can say; src/schema/entity_schema_test.cpp lists what it cannot.
#pragma once

#include "model/describe.hpp"

#include <boost/json/fwd.hpp>

#include <cstdint>

namespace cadre::model {

enum class SchemaOf : std::uint8_t {
    json,  // what is read and written
    file,  // what people write into configuration: any value may be ${VAR}, and `$schema` may say what the file is
};

/// Self-contained: the entities it uses stand in `$defs`.
boost::json::value json_schema(const Entity& entity, SchemaOf what = SchemaOf::json);

}  // namespace cadre::model
