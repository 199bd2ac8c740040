// Where this process stands: the only place that asks it for its folder, its project and its home.
#pragma once

#include "home/runtime.hpp"

#include <filesystem>
#include <memory>

namespace cadre::cli {

home::Place place_here();

/// The project around the current folder, read once. Throws Error(invalid) with everything that is wrong with it.
std::shared_ptr<const home::Project> project_here();

/// Its home, also when the project cannot be read: that is no reason not to show its tasks.
std::filesystem::path home_here();

/// What the home is worked on with from here; what goes wrong beside the work is told on standard error.
home::RuntimeOptions runtime_here();

}  // namespace cadre::cli
