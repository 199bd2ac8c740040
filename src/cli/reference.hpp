// The reference of everything that Cadre reads and writes, as Markdown: one page an entity, and an index.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cadre::cli {

/// Writes NAME.md for each entity and README.md, the index, into the folder, which is made. Returns the names of the files.
std::vector<std::string> write_reference(const std::filesystem::path& folder);

}  // namespace cadre::cli
