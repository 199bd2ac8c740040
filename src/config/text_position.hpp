// Where in a file a character of one of its texts stands.
#pragma once

#include "config/place.hpp"

#include <string_view>

namespace cadre::config {

/// A text in a YAML or JSON file.
struct TextInFile {
    std::string_view file;  // the whole file
    Position at;            // where the text begins there: its quotation mark, or the sign of a block
    std::string_view text;  // what it means
};

/// Of the character at `wanted` in the text; where the file spells the text in another way up to there, where the text begins.
Position position_in_text(const TextInFile& text, Position wanted);

}  // namespace cadre::config
