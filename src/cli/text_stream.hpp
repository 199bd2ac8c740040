// Text that comes in pieces, made safe for a terminal as it comes.
#pragma once

#include <string>
#include <string_view>

namespace cadre::cli {

/// What a model wrote, so that it cannot command the terminal: as printable(), but tabs become spaces and carriage returns go.
std::string terminal_text(std::string_view text);

/// Pieces may end in the middle of a character; its beginning is kept until its end comes.
class TextStream {
public:
    std::string take(std::string_view piece);

private:
    std::string cut_;
};

}  // namespace cadre::cli
