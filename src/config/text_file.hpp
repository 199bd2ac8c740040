// Reading files that people name.
#pragma once

#include <cstddef>
#include <string>

namespace cadre::config {

/// The whole text of a file of at most `limit` bytes. Throws Error(not_found), or Error(invalid) that says what it is instead.
std::string text_of_file(const std::string& file, std::size_t limit = 1 << 20);

}  // namespace cadre::config
