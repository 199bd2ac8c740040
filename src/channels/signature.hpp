// Keyed hashes, as vendors sign with them.
#pragma once

#include <string>
#include <string_view>

namespace cadre::channels {

/// Bytes.
std::string hmac_sha1(std::string_view key, std::string_view text);
std::string hmac_sha256(std::string_view key, std::string_view text);
/// In lower case.
std::string hex_of(std::string_view bytes);

/// Takes as long wherever two texts of one length differ.
bool is_same(std::string_view a, std::string_view b);

}  // namespace cadre::channels
