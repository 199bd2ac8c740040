#include "testing/text_diff.hpp"

#include "base/json_writer.hpp"
#include "base/utf8.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::testing {
namespace {

constexpr std::size_t kLine = 58;       // characters of a line that are shown
constexpr std::size_t kBefore = 20;     // of them before the difference, where the line is cut
constexpr std::size_t kContext = 2;     // lines around those that differ
constexpr std::size_t kMaxRows = 40;    // that are shown
constexpr std::size_t kMaxLines = 600;  // that are compared one with all others

using Lines = std::vector<std::string>;

Lines lines_in(std::string_view text)
{
    Lines lines;
    while (true) {
        const std::size_t end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        if (end == text.npos) return lines;
        text.remove_prefix(end + 1);
    }
}

/// Characters, of which a byte that is none is one.
Lines characters_of(std::string_view text)
{
    Lines characters;
    while (!text.empty()) {
        const std::size_t length = std::max<std::size_t>(1, utf8_length(text));
        characters.emplace_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return characters;
}

std::string joined(const Lines& characters, std::size_t from, std::size_t to)
{
    std::string text;
    for (std::size_t i = from; i < std::min(to, characters.size()); ++i)
        text += characters[i] == "\t" ? std::string(" ") : characters[i];
    return text;
}

std::string two_lines(const std::string& expected, const std::string& got)
{
    const Lines a = characters_of(expected), b = characters_of(got);
    const auto differs = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    const bool cut = std::max(a.size(), b.size()) > kLine && differs > kBefore;
    const std::size_t from = cut ? differs - kBefore : 0;
    const auto shown = [&](const Lines& line) {
        return fmt::format("{}{}{}", cut ? "…" : "", joined(line, from, from + kLine),
                           line.size() > from + kLine ? "…" : "");
    };
    return fmt::format("expected: {}\ngot:      {}\n          {}^", shown(a), shown(b),
                       std::string(differs - from + (cut ? 1 : 0), ' '));
}

std::string row_text(char mark, const std::string& line)
{
    const Lines characters = characters_of(line);
    return fmt::format("{} {}{}\n", mark, joined(characters, 0, kLine), characters.size() > kLine ? "…" : "");
}

std::string many_lines(const Lines& a, const Lines& b)
{
    const auto fit = [&](std::size_t i, std::size_t j) { return a[i] == b[j]; };
    const Pairing pairing = paired(a.size(), b.size(), fit);
    std::vector<bool> near(pairing.rows.size());
    for (std::size_t i = 0; i < pairing.rows.size(); ++i)
        if (pairing.rows[i].side != Pairing::Side::both)
            for (std::size_t k = i - std::min(i, kContext); k < std::min(near.size(), i + kContext + 1); ++k)
                near[k] = true;
    std::string text = "- expected, + got\n";
    std::size_t shown = 0;
    for (std::size_t i = 0; i < pairing.rows.size(); ++i) {
        if (!near[i]) continue;
        if (i > 0 && !near[i - 1]) text += "…\n";
        if (++shown > kMaxRows) return text + "… and more";
        const Pairing::Row& row = pairing.rows[i];
        text += row.side == Pairing::Side::both       ? row_text(' ', a[row.expected])
                : row.side == Pairing::Side::expected ? row_text('-', a[row.expected])
                                                      : row_text('+', b[row.got]);
    }
    text.pop_back();
    return text;
}

}  // namespace

Pairing paired(std::size_t expected, std::size_t got, const std::function<bool(std::size_t, std::size_t)>& fit)
{
    using Side = Pairing::Side;
    // length[i][j]: of the longest sequence in what lies behind i and j
    std::vector<std::vector<std::size_t>> length(expected + 1, std::vector<std::size_t>(got + 1));
    for (std::size_t i = expected; i-- > 0;)
        for (std::size_t j = got; j-- > 0;)
            length[i][j] = fit(i, j) ? length[i + 1][j + 1] + 1 : std::max(length[i + 1][j], length[i][j + 1]);
    Pairing pairing;
    for (std::size_t i = 0, j = 0; i < expected || j < got;) {
        if (i < expected && j < got && fit(i, j)) {
            pairing.rows.push_back({Side::both, i++, j++});
            continue;
        }
        pairing.same = false;
        const bool takes_expected = i < expected && (j == got || length[i + 1][j] >= length[i][j + 1]);
        if (takes_expected) pairing.rows.push_back({.side = Side::expected, .expected = i++});
        else pairing.rows.push_back({.side = Side::got, .got = j++});
    }
    return pairing;
}

std::string text_diff(std::string_view expected, std::string_view got)
{
    const Lines a = lines_in(expected), b = lines_in(got);
    if (a.size() == 1 && b.size() == 1) return two_lines(a[0], b[0]);
    if (a.size() <= kMaxLines && b.size() <= kMaxLines) return many_lines(a, b);
    const auto line = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    return fmt::format("the first difference is in line {}\n{}", line + 1,
                       two_lines(line < a.size() ? a[line] : "", line < b.size() ? b[line] : ""));
}

std::string one_line_of(std::string_view text, std::size_t most)
{
    std::string line;
    for (const char c : text) line += c == '\n' || c == '\t' || c == '\r' ? ' ' : c;
    const Lines characters = characters_of(line);
    return joined(characters, 0, most) + (characters.size() > most ? "…" : "");
}

}  // namespace cadre::testing
