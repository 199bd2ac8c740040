// Strings with a form of their own.
#pragma once

#include "model/describe.hpp"

#include <string_view>

namespace cadre::model {

bool matches(Format format, std::string_view text);
/// For people: "a name like agent_1 (lower case letters, digits and _)".
std::string_view name_of(Format format);
/// For schemas; empty where a pattern does not say it all.
std::string_view pattern_of(Format format);
/// What time_from_iso() reads, as a pattern for schemas. Their own `date-time` is another set: it wants an offset, allows leap
/// seconds, and knows no space in the middle.
std::string_view time_pattern();

}  // namespace cadre::model
