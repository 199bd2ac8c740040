// From a schema's JSON to a Program.
#pragma once

#include "schema/program.hpp"

namespace cadre::schema {

Program compile_program(const json::value& schema, const Options& options);

}  // namespace cadre::schema
