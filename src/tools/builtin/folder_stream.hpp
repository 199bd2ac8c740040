// The entries of a folder as the system gives them, closed at the end.
#pragma once

#include <dirent.h>

#include <memory>

namespace cadre::tools {

struct CloseFolder {
    void operator()(DIR* folder) const { ::closedir(folder); }
};
using FolderStream = std::unique_ptr<DIR, CloseFolder>;

}  // namespace cadre::tools
