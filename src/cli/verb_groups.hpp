// The verbs by what people want to do, for help and the man page.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace cadre::cli {

struct VerbGroup {
    std::string_view title{};
    std::vector<std::string_view> verbs{};  // the usual ones first
};

/// Every verb of the program is in one of them.
std::span<const VerbGroup> verb_groups();

}  // namespace cadre::cli
