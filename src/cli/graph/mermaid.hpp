// A drawing as a Mermaid flowchart, for Markdown pages and whoever else knows that language.
#pragma once

#include "cli/graph/drawing.hpp"

#include <string>
#include <string_view>

namespace cadre::cli {

/// Nothing of the texts can become syntax, markup or Markdown: in them, all that is not a letter, a digit or a space is written as
/// its number.
std::string mermaid(const Drawing& drawing);

std::string mermaid_text(std::string_view text);

}  // namespace cadre::cli
