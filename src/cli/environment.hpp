// What the process can read about where it runs. The only place that reads and sets environment variables.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cadre::cli {

/// Nothing when the variable is not set or empty: an empty one is how people switch it off.
std::optional<std::string> environment(const std::string& name);
/// For this process and those it starts; before threads are.
void set_environment(const std::string& name, const std::string& value);
/// Of all variables that are set, be it to nothing.
std::vector<std::string> environment_names();

/// What people type to start us: `cadre`, or $CADRE_PROGRAM, with which a wrapper such as ./run gives its own name.
std::string program_name();

/// Whether systemd looks after this machine or container; else its tools may be installed and cannot work.
bool runs_systemd();

/// A small text file, as in /proc and /sys; empty when it cannot be read.
std::string file_text(const std::filesystem::path& path);

}  // namespace cadre::cli
