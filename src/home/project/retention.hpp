// The retention policy that counts here: config/retention_policy.yaml of the project or of the home.
#pragma once

#include "model/views/framework_retention.hpp"

#include <filesystem>
#include <string>

namespace cadre::home {

class Project;
struct Place;

struct Retention {
    model::framework::RetentionPolicy policy{};
    std::string where{};  // the file; empty: the documents' own policy, because there is none
};

/// The home's. What happens by itself follows it alone: the folder that a command happens to be typed in removes nothing.
/// Throws Error(invalid) with everything that is wrong with the file.
Retention retention_of(const Place& place, const std::filesystem::path& home);

/// The project's, else its home's.
Retention retention_for(const Project& project);

}  // namespace cadre::home
