// What the process can read about where it runs. The only place that reads environment variables.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace cadre::cli {

/// Nothing when the variable is not set or empty: an empty one is how people switch it off.
std::optional<std::string> environment(const char* name);

/// Where Cadre keeps its data: $CADRE_HOME, or ~/.multi-agent. Nothing when neither is known. It need not exist.
std::optional<std::filesystem::path> home_folder();

/// A small text file, as in /proc and /sys; empty when it cannot be read.
std::string file_text(const std::filesystem::path& path);

}  // namespace cadre::cli
