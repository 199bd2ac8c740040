#include "model/schema_version.hpp"

#include "base/json.hpp"
#include "model/format.hpp"
#include "model/problem.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace cadre::model {

namespace {

int major_of(std::string_view version)
{
    int major = 0;
    const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), major);
    return error == std::errc{} ? major : std::numeric_limits<int>::max();
}

}  // namespace

void check_schema_version(const json::object& ext, const Path& path, Problems& problems)
{
    const json::value* value = ext.if_contains("schema_version");
    if (!value) return;
    const Path in_ext(path, "ext");
    const Path here(in_ext, "schema_version");
    const json::string* version = value->if_string();
    if (!version || !matches(Format::version, *version)) return problems.add(here, "must be a version like 1.0.0");
    if (major_of(*version) > major_of(kSchemaVersion))
        problems.add(here, fmt::format("{} was written by a newer release; this one reads up to {}",
                                       std::string_view(*version), kSchemaVersion));
}

}  // namespace cadre::model
