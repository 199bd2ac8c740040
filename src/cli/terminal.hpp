// What can be shown where our output goes.
#pragma once

namespace cadre::cli {

struct Terminal {
    bool present = false;  // false: a file or a pipe
    bool utf8 = false;
    bool colours = false;
};

Terminal terminal_at(int descriptor);

}  // namespace cadre::cli
