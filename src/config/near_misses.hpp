// Files that were probably meant to be a part of the project, and that nobody reads because of what they are called or where
// they lie.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cadre::config {

struct NearMiss {
    std::filesystem::path file;
    std::string text;  // why it is not read, and what to do
};

/// Of a project or home. Files that have nothing to do with us are not among them.
std::vector<NearMiss> near_misses(const std::filesystem::path& folder);

}  // namespace cadre::config
