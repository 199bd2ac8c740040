// What can be shown where our output goes.
#pragma once

#include <cstddef>

namespace cadre::cli {

struct Terminal {
    bool present = false;  // false: a file or a pipe
    bool utf8 = false;
    bool colours = false;
    bool redraws = false;  // it can move its cursor
};

struct TerminalSize {
    std::size_t width = 0;
    std::size_t height = 0;
};

Terminal terminal_at(int descriptor);

/// Its columns; what is usual where there is no terminal.
std::size_t terminal_width(int descriptor);
TerminalSize terminal_size(int descriptor);

/// Columns of the page on standard output; `elsewhere` where it goes into a file or a pipe.
std::size_t page_width(std::size_t elsewhere);

}  // namespace cadre::cli
