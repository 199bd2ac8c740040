#include "text/channel/whatsapp.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>

namespace cadre::text {

namespace {

constexpr std::string_view kMarks = "*_~`";

std::string_view look_alike(char mark)
{
    switch (mark) {
    case '*': return "∗";
    case '_': return "ˍ";
    case '~': return "∼";
    default: return "ˋ";
    }
}

bool is_space_or_tab(char c)
{
    return c == ' ' || c == '\t';
}

bool is_letter_or_digit(char c)
{
    return is_digit(c) || is_letter(c);
}

bool is_ascii(char c)
{
    return static_cast<unsigned char>(c) < 0x80;
}

/// Whether a mark may stand beside `c` outside of what it formats.
bool is_edge(char c, bool is_strict)
{
    return is_ascii(c) ? !is_letter_or_digit(c) : !is_strict;
}

bool opens(std::string_view line, std::size_t at, bool is_strict)
{
    const bool edge = at == 0 || is_edge(line[at - 1], is_strict);
    return edge && at + 1 < line.size() && !is_space_or_tab(line[at + 1]) && line[at + 1] != line[at];
}

bool closes(std::string_view line, std::size_t at, bool is_strict)
{
    const bool edge = at + 1 == line.size() || is_edge(line[at + 1], is_strict);
    return edge && at > 0 && !is_space_or_tab(line[at - 1]) && line[at - 1] != line[at];
}

/// Whether something had to be changed; then it is to be looked at again.
bool settle_once(std::string& line, std::vector<bool>& is_meant)
{
    std::vector<bool> holds(line.size(), false);
    for (const FormattedSpan& span : formatted_spans(line, true))
        if (is_meant[span.open] && is_meant[span.close]) holds[span.open] = holds[span.close] = true;
    std::vector<bool> is_taken(line.size(), false);  // a character that may format something
    for (const FormattedSpan& span : formatted_spans(line, false))
        for (const std::size_t at : {span.open, span.close})
            if (!is_meant[at]) is_taken[at] = true;
    for (std::size_t i = 0; i < line.size(); ++i)  // three of them, meant or not, would begin a block of code
        if (line[i] == '`' && !is_meant[i]) is_taken[i] = true;
    std::string out;
    std::vector<bool> meant;
    bool changed = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool is_lost = is_meant[i] && !holds[i];
        changed |= is_lost || is_taken[i];
        if (is_lost) continue;
        const std::string_view more = is_taken[i] ? look_alike(line[i]) : std::string_view(line).substr(i, 1);
        out += more;
        meant.insert(meant.end(), more.size(), is_meant[i]);
    }
    line = std::move(out);
    is_meant = std::move(meant);
    return changed;
}

std::string without_any(std::string_view line, const std::vector<bool>& is_meant)
{
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (is_meant[i]) continue;
        if (kMarks.find(line[i]) != kMarks.npos) out += look_alike(line[i]);
        else out += line[i];
    }
    return out;
}

}  // namespace

std::vector<FormattedSpan> formatted_spans(std::string_view line, bool is_strict)
{
    std::vector<FormattedSpan> spans;
    std::array<std::size_t, 4> busy_until{};  // by mark
    std::array<bool, 4> is_spent{};
    for (std::size_t at = 0; at < line.size(); ++at) {
        const std::size_t kind = kMarks.find(line[at]);
        if (kind == kMarks.npos || is_spent[kind] || at < busy_until[kind] || !opens(line, at, is_strict)) continue;
        std::size_t close = at + 2;
        while (close < line.size() && (line[close] != line[at] || !closes(line, close, is_strict))) ++close;
        if (close >= line.size()) {
            is_spent[kind] = true;
            continue;
        }
        spans.push_back({.open = at, .close = close, .mark = line[at]});
        busy_until[kind] = close + 1;
        if (line[at] == '`') at = close;  // nothing in code is a mark
    }
    return spans;
}

std::string settled_line(std::string line, std::vector<bool> is_meant)
{
    if (line.find_first_of(kMarks) == line.npos) return line;
    for (int i = 0; i < 6; ++i)
        if (!settle_once(line, is_meant)) return line;
    return without_any(line, is_meant);
}

}  // namespace cadre::text
