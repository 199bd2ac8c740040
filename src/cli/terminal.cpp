#include "cli/terminal.hpp"

#include "cli/environment.hpp"
#include "cli/layout.hpp"

#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace cadre::cli {
namespace {

constexpr std::size_t kHeight = 24;

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
    const bool dumb = environment("TERM").value_or("dumb") == "dumb";
    const bool plain = environment("NO_COLOR") || dumb;
    return {.present = present, .utf8 = speaks_utf8(), .colours = present && !plain, .redraws = present && !dumb};
}

std::size_t terminal_width(int descriptor)
{
    return terminal_size(descriptor).width;
}

TerminalSize terminal_size(int descriptor)
{
    winsize size{};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0) size = {};
    return {.width = size.ws_col > 0 ? size.ws_col : kWidth, .height = size.ws_row > 0 ? size.ws_row : kHeight};
}

std::size_t page_width(std::size_t elsewhere)
{
    return terminal_at(STDOUT_FILENO).present ? terminal_width(STDOUT_FILENO) : elsewhere;
}

}  // namespace cadre::cli
