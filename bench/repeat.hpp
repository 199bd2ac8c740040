// Pieces of work that scripts/speed-floor counts: `PROGRAM --repeat PIECE TIMES` does one so many times, without a clock, and prints
// how many allocations that took. Twice with different TIMES, and what is done only once cancels out.
#pragma once

#include <functional>
#include <optional>
#include <span>

namespace cadre::bench {

struct Piece {
    const char* name;
    /// Makes what the piece needs and returns the piece itself, which is then done again and again.
    std::function<std::function<void()>()> prepare;
};

/// The exit code when the arguments ask for a piece; nothing when they ask for something else.
std::optional<int> repeat(std::span<const Piece> pieces, int argc, char** argv);

}  // namespace cadre::bench
