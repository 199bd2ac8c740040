// The files of a new project.
#pragma once

#include <span>
#include <string_view>

namespace cadre::cli {

struct StarterFile {
    std::string_view path;
    std::string_view text;
};

std::span<const StarterFile> starter_files();

}  // namespace cadre::cli
