#include "cli/graph/sheet.hpp"

#include "cli/char_width.hpp"

namespace cadre::cli {
namespace {

constexpr std::string_view kLines[] = {" ", "╵", "╶", "└", "╷", "│", "┌", "├", "╴", "┘", "─", "┴", "┐", "┤", "┬", "┼"};
constexpr std::string_view kPlainLines[] = {" ", "|", "-", "+", "|", "|", "+", "+",
                                            "-", "+", "-", "+", "+", "+", "+", "+"};
constexpr std::uint8_t kUpright = kUp | kDown;
constexpr std::uint8_t kLevel = kLeft | kRight;

}  // namespace

Sheet::Sheet(std::size_t width, std::size_t height, bool utf8)
    : width_(width), height_(height), utf8_(utf8), cells_(width * height)
{}

Sheet::Cell* Sheet::find(std::size_t x, std::size_t y)
{
    return x < width_ && y < height_ ? &cells_[y * width_ + x] : nullptr;
}

void Sheet::add_line(std::size_t x, std::size_t y, std::uint8_t sides, std::size_t line)
{
    Cell* cell = find(x, y);
    if (!cell) return;
    if (sides & kUpright) {
        cell->upright |= sides & kUpright;
        cell->upright_line = line;
    }
    if (sides & kLevel) {
        cell->level |= sides & kLevel;
        cell->level_line = line;
    }
}

void Sheet::put(std::size_t x, std::size_t y, std::string_view text, std::optional<Tone> tone)
{
    if (Cell* cell = find(x, y)) {
        cell->text = text;
        cell->tone = tone;
    }
}

void Sheet::write(std::size_t x, std::size_t y, std::string_view text, std::optional<Tone> tone)
{
    std::size_t before = x;
    while (!text.empty()) {
        const std::string_view character = first_character(text);
        text.remove_prefix(character.size());
        const std::size_t columns = char_width(character);
        if (columns == 0) {
            if (Cell* cell = find(before, y); cell && !cell->text.empty()) cell->text += character;
            continue;
        }
        if (x + columns > width_) return;
        put(x, y, character, tone);
        if (columns == 2)
            if (Cell* cell = find(x + 1, y)) cell->covered = true;
        before = x;
        x += columns;
    }
}

void Sheet::box(std::size_t x, std::size_t y, std::size_t width, std::size_t height, std::optional<Tone> tone)
{
    const std::size_t right = x + width - 1, bottom = y + height - 1;
    for (std::size_t i = x; i <= right; ++i) {
        put(i, y, glyph(kLevel), tone);
        put(i, bottom, glyph(kLevel), tone);
    }
    for (std::size_t i = y; i <= bottom; ++i) {
        put(x, i, glyph(kUpright), tone);
        put(right, i, glyph(kUpright), tone);
    }
    put(x, y, glyph(kRight | kDown), tone);
    put(right, y, glyph(kLeft | kDown), tone);
    put(x, bottom, glyph(kRight | kUp), tone);
    put(right, bottom, glyph(kLeft | kUp), tone);
}

void Sheet::arrow(std::size_t x, std::size_t y, Head head)
{
    if (head == Head::down) put(x, y, utf8_ ? "▼" : "v", {});
    else put(x, y, utf8_ ? "▶" : ">", {});
}

void Sheet::leave(std::size_t x, std::size_t y, Head head, std::optional<Tone> tone)
{
    put(x, y, glyph(head == Head::down ? kLevel | kDown : kUpright | kRight), tone);
}

std::string_view Sheet::glyph(std::uint8_t sides) const
{
    return utf8_ ? kLines[sides] : kPlainLines[sides];
}

std::string_view Sheet::shown(const Cell& cell) const
{
    if (!cell.text.empty()) return cell.text;
    const bool crosses = cell.upright == kUpright && cell.level == kLevel && cell.upright_line != cell.level_line;
    return glyph(crosses ? cell.upright : cell.upright | cell.level);
}

std::vector<std::string> Sheet::lines(const Paint& paint) const
{
    std::vector<std::string> lines;
    for (std::size_t y = 0; y < height_; ++y) {
        std::string line, run;
        std::optional<Tone> tone;
        std::size_t blanks = 0;
        const auto end_run = [&] {
            line += tone ? paint(*tone, run) : run;
            run.clear();
        };
        for (std::size_t x = 0; x < width_; ++x) {
            const Cell& cell = cells_[y * width_ + x];
            if (cell.covered) continue;
            const std::string_view text = shown(cell);
            if (text == " " && !cell.tone) {
                ++blanks;
                continue;
            }
            if (cell.tone != tone || blanks > 0) end_run();
            tone = cell.tone;
            line.append(blanks, ' ');
            blanks = 0;
            run += text;
        }
        end_run();
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace cadre::cli
