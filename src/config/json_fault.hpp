// What is wrong with a text that is not JSON, in words that say what to do.
#pragma once

#include "config/place.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace cadre::config {

struct JsonFault {
    Position at;  // where it began: a bracket that is never closed, not the end of the file
    std::string text;
};

/// The first fault up to `end`, which is where the parser gave up. Nothing when the parser knows more: what is wrong is inside a
/// text, or is a limit.
std::optional<JsonFault> find_json_fault(std::string_view text, Position end);

}  // namespace cadre::config
