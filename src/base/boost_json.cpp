// Boost.JSON, compiled once and by us: instrumented like our own code, and one library less to install.
#include "base/random.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace boost::json::detail {

/// Boost finds keys by FNV-1a, salted with an address whose low bits are easy to guess: 32,768 keys made to collide (360
/// kB) took 2.5 s to parse. object.ipp below prefers this overload to Boost's template; its hash is keyed with a secret
/// of the process.
static std::size_t digest(const char* begin, const char* end, std::size_t salt) noexcept
{
    static const std::uint64_t key = cadre::system_random().next();
    auto size = static_cast<std::size_t>(end - begin);
    auto mix = [](std::uint64_t a, std::uint64_t b) {  // as in wyhash: both halves of the product
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(a) * b;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    };
    std::uint64_t hash = key ^ salt ^ size;
    for (; size > 0; size -= std::min<std::size_t>(size, 8), begin += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, begin, std::min<std::size_t>(size, 8));
        hash = mix(hash ^ word, key | 1);
    }
    return mix(hash, 0x9E3779B97F4A7C15);
}

}  // namespace boost::json::detail

#include <boost/json/src.hpp>
