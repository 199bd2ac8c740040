// Unicode's composed form (NFC): two texts that look the same and differ in bytes have the same one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cadre::text {

/// The composed form of UTF-8 text; nothing for text that is not UTF-8.
std::optional<std::string> nfc(std::string_view text);

}  // namespace cadre::text
