// Names that fit, and still differ.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cadre::cli {

/// Each text on one line of at most `most` columns, safe for a terminal. Texts that differ stay different: where cut ones would not,
/// they end in the number of their place, from 1 on. `most` is at least 6.
std::vector<std::string> short_names(std::span<const std::string> texts, std::size_t most, bool utf8);

}  // namespace cadre::cli
