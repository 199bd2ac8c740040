// Paths as models write them: looked at as text, before any file is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cadre::tools {

/// The names that the path is made of; none for the workspace itself. Throws Error(invalid), a sentence for the model, for
/// everything that cannot lie in the workspace: absolute paths, `..`, control characters, too long or too deep.
std::vector<std::string> names_in(std::string_view path);

/// `a/b.txt`; `.` when there are no names.
std::string path_of(const std::vector<std::string>& names);

}  // namespace cadre::tools
