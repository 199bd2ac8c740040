// Bytes from hex digits; append_hex() in base/sha256.hpp is the way back.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cadre {

/// Its value, in either case; -1 for what is no hex digit.
int hex_digit(char c);

/// Two digits of either case for each byte; false, with `bytes` half written, for anything else.
bool read_hex(std::string_view digits, std::span<std::uint8_t> bytes);

}  // namespace cadre
