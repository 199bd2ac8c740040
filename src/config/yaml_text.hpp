// What can be said about YAML by looking at its text, and about what its parser says.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cadre::config {

/// The parser's message in words that say what to do.
std::string explained(std::string_view message);

/// Whether the line of that byte begins with a tab among its spaces.
bool has_tab_in_indentation(std::string_view text, std::size_t offset);

/// The first character that YAML does not allow, or npos. The parser would take some of them for the end of the file or for
/// another encoding.
std::size_t find_control(std::string_view text);

/// yaml-cpp 0.7 writes the escapes \N and \_ as the bytes 85 and A0 alone, which is not UTF-8; this makes them so.
std::string repaired(std::string_view text);

}  // namespace cadre::config
