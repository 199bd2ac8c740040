// ECMA-262 patterns in RE2's spelling.
#pragma once

#include <string>
#include <string_view>

namespace cadre::schema {

struct Translation {
    std::string re2{};
    /// What RE2 can never do ("look-around"), with something harmless in its place; empty when all is well.
    std::string unsupported{};
};

/// Throws Error(invalid) for escapes that ECMA-262 does not have; other mistakes are left for RE2 to find.
Translation to_re2(std::string_view ecma);

}  // namespace cadre::schema
