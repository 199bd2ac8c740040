// What the program's exit codes mean, from base's table of error codes.
#pragma once

#include <string_view>
#include <vector>

namespace cadre::cli {

struct ExitCode {
    int number = 0;
    std::string_view code{};  // as `--json` names it in errors; empty for success
    std::string_view meaning{};
};

/// A task needs a person, and nobody is there to be asked.
inline constexpr int kWaitingExit = 11;
/// A task stands still until somebody has it go on: its budget, step mode.
inline constexpr int kPausedExit = 12;
/// Ctrl-C, by custom; other signals are 128 and their number too.
inline constexpr int kInterruptedExit = 130;

/// Success, every error code, and how a command about a task that has not ended can end; ascending by number. Several share one.
std::vector<ExitCode> exit_codes();

}  // namespace cadre::cli
