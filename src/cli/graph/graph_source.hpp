// What there is to draw in a file, or under a name that the project or the home has a file for.
#pragma once

#include "cli/graph/drawing.hpp"

#include <optional>
#include <string>

namespace cadre::cli {

/// Of the file, or of the workflow or team of that name. Nothing: it is neither. Throws Error with what is wrong with the file.
std::optional<Drawings> find_drawings(const std::string& what);

}  // namespace cadre::cli
