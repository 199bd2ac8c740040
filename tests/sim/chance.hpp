// Chance: what a seed decides. Streams have names, so that a new question to one does not change the answers of another;
// and what a thing does may hang on its name alone, so that it does the same in a run with crashes and in one without.
#pragma once

#include "base/random.hpp"
#include "base/time.hpp"

#include <cstdint>
#include <string_view>

namespace cadre::sim {

/// FNV-1a, then one round of splitmix64: the same on every machine.
constexpr std::uint64_t hash_of(std::uint64_t seed, std::string_view text)
{
    std::uint64_t hash = seed ^ 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    return hash ^ (hash >> 31);
}

class Chance {
public:
    Chance(std::uint64_t seed, std::string_view stream) : random_(hash_of(seed, stream)) {}

    std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
    std::uint64_t next() { return random_.next(); }
    /// Once in `n`; never for 0.
    bool one_in(std::uint64_t n) { return n > 0 && below(n) == 0; }
    Millis between(Millis low, Millis high)
    {
        return low + Millis(static_cast<std::int64_t>(below(static_cast<std::uint64_t>((high - low).count()) + 1)));
    }
    Random& random() { return random_; }

private:
    SeededRandom random_;
};

}  // namespace cadre::sim
