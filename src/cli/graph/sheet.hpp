// A sheet of characters: lines that meet and cross, boxes, words.
#pragma once

#include "cli/output.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::cli {

/// Which sides of its cell a line touches.
enum Side : std::uint8_t { kUp = 1, kRight = 2, kDown = 4, kLeft = 8 };

class Sheet {
public:
    Sheet(std::size_t width, std::size_t height, bool utf8);

    /// A piece of line number `line`. Where lines of two numbers cross, the one that goes up and down is in front.
    void add_line(std::size_t x, std::size_t y, std::uint8_t sides, std::size_t line);
    /// Characters of one column or two; what does not fit is cut. `text` has been made safe.
    void write(std::size_t x, std::size_t y, std::string_view text, std::optional<Tone> tone = {});
    void box(std::size_t x, std::size_t y, std::size_t width, std::size_t height, std::optional<Tone> tone = {});

    enum class Head : std::uint8_t { down, right };
    void arrow(std::size_t x, std::size_t y, Head head);
    /// Where a line leaves the side of a box.
    void leave(std::size_t x, std::size_t y, Head head, std::optional<Tone> tone = {});

    /// Without blanks at their ends.
    std::vector<std::string> lines(const Paint& paint) const;

private:
    struct Cell {
        std::uint8_t upright = 0, level = 0;  // sides, by direction
        std::size_t upright_line = 0, level_line = 0;
        std::string text{};    // in front of all lines
        bool covered = false;  // by the wide character before it
        std::optional<Tone> tone{};
    };

    Cell* find(std::size_t x, std::size_t y);
    void put(std::size_t x, std::size_t y, std::string_view text, std::optional<Tone> tone);
    std::string_view glyph(std::uint8_t sides) const;
    std::string_view shown(const Cell& cell) const;

    std::size_t width_, height_;
    bool utf8_;
    std::vector<Cell> cells_;
};

}  // namespace cadre::cli
