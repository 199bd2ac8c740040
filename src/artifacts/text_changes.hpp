// Which lines two versions of a text differ in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cadre::artifacts {

struct LineCounts {
    std::int64_t added = 0;
    std::int64_t removed = 0;
};

/// Few and short where there are few and short ones; texts that have nothing in common are replaced as a whole.
LineCounts changes_between(std::string_view before, std::string_view after);

/// The same as people and `patch` read it, with three lines around each change; empty: they are equal.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view name_before,
                         std::string_view name_after);

}  // namespace cadre::artifacts
