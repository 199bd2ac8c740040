// Paths of artifacts: relative, with slashes, the same for everybody who reads them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::artifacts {

inline constexpr std::size_t kLongestPath = 255;  // bytes

/// Why there is no artifact of that path: "leads upwards"; nothing: there may be one.
std::optional<std::string> problem_with(std::string_view path);

/// The path, without `.` and doubled slashes. Throws Error(invalid) that names it and says why not.
std::string plain_path(std::string_view path);

}  // namespace cadre::artifacts
