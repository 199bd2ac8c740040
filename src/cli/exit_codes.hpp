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

/// Success and then every error code, ascending by number; several share one.
std::vector<ExitCode> exit_codes();

}  // namespace cadre::cli
