// Where this process stands: the only place that asks it for its folder, its project and its home.
#pragma once

#include "base/log.hpp"
#include "home/runtime.hpp"

#include <filesystem>
#include <memory>

namespace cadre::cli {

home::Place place_here();

/// The project around the current folder, read once. Throws Error(invalid) with everything that is wrong with it.
std::shared_ptr<const home::Project> project_here();

/// Its home, also when the project cannot be read: that is no reason not to show its tasks.
std::filesystem::path home_here();

/// The log of this home, `logs/cadre.log` in it.
std::filesystem::path log_file_here();

/// Errors go to standard error; what is at least as grave as `log_level` (CADRE_LOG_LEVEL, LOG_LEVEL, cadre.yaml) to the log
/// of the home.
Log log_here();

/// What the home is worked on with from here; what goes wrong beside the work is told to log_here().
home::RuntimeOptions runtime_here();

}  // namespace cadre::cli
