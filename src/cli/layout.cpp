#include "cli/layout.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::cli {
namespace {

constexpr std::size_t kMargin = 2;

std::string_view take_until(std::string_view& text, char end)
{
    const std::size_t found = std::min(text.find(end), text.size());
    const std::string_view taken = text.substr(0, found);
    text.remove_prefix(std::min(found + 1, text.size()));
    return taken;
}

void append_line(std::string& out, std::string_view line, std::size_t indent)
{
    if (!line.empty()) out.append(indent, ' ').append(line);
    out += '\n';
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent)
{
    std::string out;
    do {
        std::string_view paragraph = take_until(text, '\n');
        std::string line;
        while (!paragraph.empty()) {
            const std::string_view word = take_until(paragraph, ' ');
            if (!line.empty() && indent + columns(line) + 1 + columns(word) > kWidth) {
                append_line(out, line, indent);
                line.clear();
            }
            if (!line.empty()) line += ' ';
            line += word;
        }
        append_line(out, line, indent);
    } while (!text.empty());
    return out;
}

std::optional<std::string> take_line(std::string& text, std::size_t width)
{
    std::size_t used = 0;
    std::size_t line_end = 0, next = 0;  // the last place to break at: where the line would end and the next one begin
    bool has_words = false;              // what stands before the first word is no place to break at
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '\n') {
            std::string line = text.substr(0, i);
            text.erase(0, i + 1);
            return line;
        }
        const std::string_view character = first_character(std::string_view(text).substr(i));
        const std::size_t wide = char_width(character);
        const bool space = character == " ";
        if (wide == 2 && has_words && next != i) line_end = next = i;  // between any two of them
        if (used + wide > width && !space) {
            if (next == 0) line_end = next = std::max<std::size_t>(i, character.size());
            std::string line = text.substr(0, line_end);
            text.erase(0, next);
            return line;
        }
        if (space && has_words) {
            if (i != next || next == 0) line_end = i;  // of several spaces, the first ends the line
            next = i + 1;
        }
        has_words = has_words || !space;
        used += wide;
        i += character.size();
    }
    return std::nullopt;
}

std::vector<std::string> lines_of(std::string text, std::size_t width)
{
    std::vector<std::string> lines;
    while (auto line = take_line(text, width)) lines.push_back(std::move(*line));
    if (!text.empty()) lines.push_back(std::move(text));
    return lines;
}

std::string table(std::span<const Row> rows)
{
    std::size_t width = 0;
    for (const Row& row : rows) width = std::max(width, columns(row.left));

    std::string out;
    for (const Row& row : rows) {
        const std::size_t indent = kMargin + width + kMargin;
        const std::string right = wrapped(row.right, indent);
        const std::string left = std::string(kMargin, ' ') + padded(row.left, width + kMargin);
        out += row.right.empty() ? std::string(kMargin, ' ') + row.left + "\n" : left + right.substr(indent);
    }
    return out;
}

std::string padded(std::string_view text, std::size_t width)
{
    const std::size_t used = columns(text);
    return std::string(text) + std::string(width > used ? width - used : 0, ' ');
}

std::string size_text(std::uint64_t bytes)
{
    constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double number = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (number >= 1024 && unit + 1 < std::size(kUnits)) {
        number /= 1024;
        ++unit;
    }
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", number, kUnits[unit]);
}

}  // namespace cadre::cli
