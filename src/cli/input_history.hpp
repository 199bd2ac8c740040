// What a person typed in chats before, for the arrow keys: a file in the home that is theirs alone.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::cli {

inline constexpr std::size_t kMaxInputs = 500;
inline constexpr std::size_t kMaxInputBytes = 256 << 10;

/// Lines of JSON strings, the oldest first. One that cannot be read is as good as none: nobody's chat ends for it.
std::vector<std::string> read_inputs(const std::filesystem::path& home);
/// One more, unless it is the same as the last; the oldest go when there are too many, or too long ones.
void add_input(const std::filesystem::path& home, std::string_view text);

}  // namespace cadre::cli
