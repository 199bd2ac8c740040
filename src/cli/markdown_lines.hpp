// Markdown as a terminal shows it, line by line as it comes.
#pragma once

#include "cli/output.hpp"

#include <string>

namespace cadre::cli {

/// Of one text; another one begins with another object. Headings and `**words**` become bold, `code` gets a colour, and fences are dim.
/// Where colours are off, lines stay as they were written: so does what is copied from there.
class MarkdownLines {
public:
    MarkdownLines() = default;
    MarkdownLines(Paint paint, bool utf8) : paint_(paint), utf8_(utf8) {}

    std::string shown(std::string line);

private:
    std::string with_marks(std::string_view line) const;

    Paint paint_{};
    bool utf8_ = false;
    bool in_code_ = false;
};

}  // namespace cadre::cli
