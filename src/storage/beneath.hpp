// Opening what lies beneath a folder, and nothing that a link leads to, whoever changes the folder at the same time.
#pragma once

#include "storage/files.hpp"

#include <string>
#include <sys/types.h>

namespace cadre::storage {

/// With open()'s flags; follows no link on the way. Not open: errno says why.
Descriptor open_beneath(int root, const std::string& path, int flags, mode_t mode = 0);

}  // namespace cadre::storage
