#include "repeat.hpp"

#include "allocations.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace cadre::bench {

namespace {

constexpr int kWarmUp = 20;  // tables, buffers and pools have their usual size then

}  // namespace

std::optional<int> repeat(std::span<const Piece> pieces, int argc, char** argv)
{
    if (argc != 4 || std::string_view(argv[1]) != "--repeat") return std::nullopt;
    for (const Piece& piece : pieces) {
        if (argv[2] != std::string_view(piece.name)) continue;
        const auto work = piece.prepare();
        for (int i = 0; i < kWarmUp; ++i) work();
        const std::size_t before = allocations().count;
        for (int i = std::atoi(argv[3]); i > 0; --i) work();
        std::printf("%zu\n", allocations().count - before);
        return 0;
    }
    std::fprintf(stderr, "%s has no piece %s\n", argv[0], argv[2]);
    return 1;
}

}  // namespace cadre::bench
