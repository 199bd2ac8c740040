// The header Range: a part of a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cadre::server {

struct ByteRange {
    std::uint64_t first = 0;
    std::uint64_t size = 0;  // 0: it begins behind the end
};

/// Of a file of so many bytes; nothing: all of it is meant, also where several parts are asked for, or something else than bytes.
std::optional<ByteRange> byte_range(std::string_view header, std::uint64_t size);

}  // namespace cadre::server
