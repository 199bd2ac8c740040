// Text that others wrote, made safe to show: nothing in it hides, reorders or breaks what stands around it.
#pragma once

#include <string>
#include <string_view>

namespace cadre {

/// Whether the character, the bytes of one in UTF-8, does something else than to be seen: controls, line separators, direction
/// marks (U+202E), zero-width and tag characters. A line break is one too.
bool is_unseen(std::string_view character);

/// The text on one line, unseen characters and bytes that are not UTF-8 written as JSON would: `\n`, `\u202e`.
std::string visible(std::string_view text);

}  // namespace cadre
