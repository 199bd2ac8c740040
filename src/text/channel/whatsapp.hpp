// What WhatsApp makes of a text: `*bold*`, `_italic_`, `~strike~`, `code`. There is no way to write such a mark and not mean it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text {

/// Words between two marks, in one line.
struct FormattedSpan {
    std::size_t open = 0;  // where the marks are
    std::size_t close = 0;
    char mark = '*';

    bool operator==(const FormattedSpan&) const = default;
};

/// What is formatted in one line, by the first mark. Strict: only what is formatted for certain, where words and punctuation are
/// ASCII; else whatever may be.
std::vector<FormattedSpan> formatted_spans(std::string_view line, bool is_strict);

/// A line in which some marks are meant (`is_meant`, one per byte) and the others are characters: marks that would format nothing are
/// left out, characters that would are replaced by those that look like them.
std::string settled_line(std::string line, std::vector<bool> is_meant);

}  // namespace cadre::text
