// The version that every stored file carries (S-25).
#pragma once

#include <boost/json/fwd.hpp>

#include <string_view>

namespace cadre::model {

class Path;
class Problems;

inline constexpr std::string_view kSchemaVersion = "1.0.0";

/// Reports an `ext` whose schema_version this program does not know: a newer major, or no version at all. An `ext`
/// without one was written by hand and is read as the current one.
void check_schema_version(const boost::json::object& ext, const Path& path, Problems& problems);

}  // namespace cadre::model
