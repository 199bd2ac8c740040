// Runs another program for a moment and listens to it.
#pragma once

#include "base/time.hpp"

#include <string>
#include <vector>

namespace cadre::cli {

struct Outcome {
    int exit = -1;  // 128 + signal when one ended it; -1 when it never ran
    bool timed_out = false;
    std::string output{};  // the first 4 KiB of its output and errors; why it never ran

    bool ran() const { return exit >= 0; }
};

/// Runs the program `words[0]`, found in PATH, with nothing on its input and nothing but PATH in its environment. It has its own
/// process group, which is killed when the limit is over.
Outcome run_command(const std::vector<std::string>& words, Millis limit);

}  // namespace cadre::cli
