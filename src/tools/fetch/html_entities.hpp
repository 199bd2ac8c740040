// Characters that HTML writes as words or numbers.
#pragma once

#include <string>
#include <string_view>

namespace cadre::tools {

/// Appends the character that `text`, which starts with `&`, begins with, and returns how many bytes of it that took; the `&` itself
/// when it is none that we know.
std::size_t append_entity(std::string& out, std::string_view text);

/// The byte of a text in Windows-1252, which is what pages mean that claim to be Latin-1.
char32_t from_windows_1252(unsigned char byte);

/// U+FFFD for what is no character, or a control character other than line breaks and tabs.
void append_utf8(std::string& out, char32_t character);

}  // namespace cadre::tools
