// The version that every stored file carries (S-25).
#pragma once

#include "model/describe.hpp"

#include <boost/json/fwd.hpp>

#include <string_view>

namespace cadre::model {

inline constexpr std::string_view kSchemaVersion = "1.0.0";
/// What check_schema_version() wants.
inline constexpr const char* kSchemaVersionSchema = R"({"properties":{"ext":{"properties":{"schema_version":
    {"type":"string","pattern":"^0*[01]\\.[0-9]+\\.[0-9]+([-+][\\s\\S]*)?$"}}}}})";

/// Reports an `ext` whose schema_version this program does not know: a newer major, or no version at all. An `ext`
/// without one was written by hand and is read as the current one.
void check_schema_version(const boost::json::object& ext, const Path& path, Problems& problems);

/// The same, as the check of an entity with an `ext`.
template <class T>
Check schema_version_check()
{
    return check<T>(
        {"ext"}, "`ext.schema_version`, if it is there, is a version that this release reads.",
        [](const T& entity, const Path& path, Problems& problems) { check_schema_version(entity.ext, path, problems); },
        kSchemaVersionSchema);
}

}  // namespace cadre::model
