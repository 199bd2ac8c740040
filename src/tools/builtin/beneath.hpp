// What Workspace is built on: opening only what lies beneath a folder, and saying what went wrong there.
#pragma once

#include "tools/builtin/descriptor.hpp"

#include <string>
#include <string_view>

#include <sys/stat.h>
#include <sys/types.h>

namespace cadre::tools {

/// How often something is tried again that somebody else may change under our hands.
inline constexpr int kAttempts = 16;

/// Opens what lies beneath `root`, with open()'s flags, and follows no link on the way. Not open: errno says why.
Descriptor open_beneath(int root, const std::string& path, int flags, mode_t mode = 0);

/// Throws Error that says, for the model, what the system's error means for the path.
[[noreturn]] void raise_at(std::string_view path, int error);

std::string system_says(int error);

struct stat status_of(int file, std::string_view path);

}  // namespace cadre::tools
