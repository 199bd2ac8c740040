// Where a command or a server stands. It is handed down: nothing below the command line looks at its process.
#pragma once

#include "config/variables.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace cadre::home {

struct Place {
    std::filesystem::path folder{};        // paths that people give are relative to it
    config::Environment environment{};     // the process's variables
    std::vector<std::string> variables{};  // names of all that are set, be it to nothing
    bool trusted = false;                  // whoever runs this vouches for the project, as CADRE_TRUST=1 does
};

}  // namespace cadre::home
