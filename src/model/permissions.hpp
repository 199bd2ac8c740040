// Which calls of tools are allowed, asked about or refused, by name and arguments.
#pragma once

#include <string>
#include <vector>

namespace cadre::model {

struct Entity;

/// Each is a list of patterns: `write_file`, `files.*`, `shell:command=git *`. Of what fits several, the first list wins.
struct Permissions {
    std::vector<std::string> deny{};
    std::vector<std::string> allow{};
    std::vector<std::string> ask{};

    bool operator==(const Permissions&) const = default;
};
const Entity& describe(const Permissions*);

}  // namespace cadre::model
