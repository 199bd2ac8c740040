// JSON for people to read: two spaces an indent. From text to text: a DOM between them would cost more than all the rest.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cadre::engine {

/// Appends `json`, which is compact as we write it, for a place that is `depth` levels deep.
void append_indented(std::string& out, std::string_view json, std::size_t depth = 0);
/// The same as a file: a newline ends it.
std::string indented(std::string_view json);

}  // namespace cadre::engine
