#include "cli/terminal.hpp"

#include "cli/environment.hpp"
#include "cli/layout.hpp"

#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace cadre::cli {
namespace {

/// What the environment says, not setlocale(): a locale that is not installed still tells what the terminal shows.
bool speaks_utf8()
{
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const auto locale = environment(name);
        if (!locale) continue;
        for (const char* spelling : {"UTF-8", "utf-8", "UTF8", "utf8"})
            if (locale->find(spelling) != std::string::npos) return true;
        return false;
    }
    return false;
}

}  // namespace

Terminal terminal_at(int descriptor)
{
    const bool present = ::isatty(descriptor) == 1;
    const bool plain = environment("NO_COLOR") || environment("TERM").value_or("dumb") == "dumb";
    return {.present = present, .utf8 = speaks_utf8(), .colours = present && !plain};
}

std::size_t terminal_width(int descriptor)
{
    winsize size{};
    return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kWidth;
}

}  // namespace cadre::cli
