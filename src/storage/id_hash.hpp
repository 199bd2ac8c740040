#pragma once

#include "base/id.hpp"

#include <cstddef>

namespace cadre::storage {

/// For hash tables by task. Ids are random, or hashes themselves: eight of their bytes are as good as a hash.
struct IdHash {
    std::size_t operator()(const Id& id) const
    {
        std::size_t value = 0;
        for (std::size_t i = 8; i < id.bytes.size(); ++i) value = value << 8 | id.bytes[i];
        return value;
    }
};

}  // namespace cadre::storage
