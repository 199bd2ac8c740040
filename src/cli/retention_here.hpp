// The retention policy that counts here: config/retention_policy.yaml of the project or of the home.
#pragma once

#include "model/views/framework_retention.hpp"

#include <filesystem>
#include <string>

namespace cadre::cli {

struct RetentionHere {
    model::framework::RetentionPolicy policy{};
    std::string where{};  // the file; empty: the documents' own policy, because there is none
};

/// The home's. What happens by itself follows it alone: the folder that a command happens to be typed in removes nothing.
/// Throws Error(invalid) with everything that is wrong with the file.
RetentionHere retention_of(const std::filesystem::path& home);

/// The project's around the current folder, else the home's.
RetentionHere retention_here(const std::filesystem::path& home);

}  // namespace cadre::cli
