// From the words a person typed to an exit code: everything that main() does, apart from touching the process.
#pragma once

#include "cli/output.hpp"
#include "cli/verb.hpp"

#include <span>
#include <string>

namespace cadre {
class Error;
}

namespace cadre::cli {

/// Runs the verb that `words` (without the program's name) ask for. Failures are printed on `output.err`, as
/// text or JSON, and become the exit code.
int run(const Program& program, std::span<const std::string> words, Output& output);

/// Prints the failure, as text or JSON; returns its exit code.
int report(const Output& output, const Error& error);

}  // namespace cadre::cli
