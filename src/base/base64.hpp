// Bytes as text, RFC 4648 §4 and §5.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cadre {

std::string to_base64(std::string_view bytes);
/// The alphabet for addresses and tokens, without padding.
std::string to_base64url(std::string_view bytes);
/// Nothing when it is not exactly what to_base64 makes; padding may be missing.
std::optional<std::string> from_base64(std::string_view text);
/// Nothing when it is not exactly what to_base64url makes: two texts never mean the same bytes.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace cadre
