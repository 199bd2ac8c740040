// Writing files that people asked for.
#pragma once

#include <filesystem>
#include <string_view>

namespace cadre::cli {

/// Makes the folder and those above it; throws Error(unavailable) that says why not.
void make_folder(const std::filesystem::path& folder);

/// Writes the whole file or throws Error(unavailable) that names it.
void write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace cadre::cli
