// Files that the configuration names: prompt templates and programs of tools.
#pragma once

#include <filesystem>
#include <string>

namespace cadre::config {

/// Where a file is that a configuration file names, or why it is not to be had.
struct NamedFile {
    std::filesystem::path path{};
    std::string fault{};   // empty: there is one
    bool missing = false;  // the fault is that there is nothing of that name
};

/// Beside the file `by` that names it, then in `root`, the project or home that `by` belongs to; never outside of that: a project is
/// moved, shared and run by others as a whole, and must not read what else is on their machines.
NamedFile find_named(const std::filesystem::path& named, const std::filesystem::path& by,
                     const std::filesystem::path& root);

/// Why the file cannot be a tool's program; empty: it can. `function`: of a Python file, one of its functions is the tool.
std::string program_fault(const std::filesystem::path& program, bool function);

}  // namespace cadre::config
