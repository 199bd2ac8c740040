// What an engine finds around it: the variables of its process, and where files and lines of its log go.
#pragma once

#include "base/log.hpp"
#include "home/place.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

namespace cadre::library {

/// With the variables as they are now: a program that changes them later does not disturb threads that read them.
home::Place surroundings(std::filesystem::path folder);

/// A name for a folder that is not there yet, for engines without a home. It is made when a tool first writes a file.
std::filesystem::path temporary_folder();

/// Lines go to the function; empty: to standard error.
std::shared_ptr<LogSink> sink_for(std::function<void(std::string_view line)> function);

}  // namespace cadre::library
