#include "config/yaml_text.hpp"

#include "base/utf8.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::config {

namespace {

/// Behind the quote that closes the one at `start`; npos when none does.
std::size_t quote_end(std::string_view text, std::size_t start)
{
    const char quote = text[start];
    for (std::size_t i = start + 1; i < text.size(); ++i) {
        if (quote == '"' && text[i] == '\\') ++i;
        else if (text[i] == quote && quote == '\'' && text.substr(i + 1).starts_with('\'')) ++i;  // '' is one
        else if (text[i] == quote) return i + 1;
    }
    return text.npos;
}

/// Whether a value can begin there, so that a quote is no part of a word like `it's`.
bool can_begin_value(std::string_view text, std::size_t offset)
{
    const std::size_t before = text.substr(0, offset).find_last_not_of(" \t");
    return before == text.npos || std::string_view("\n:-,[{?").find(text[before]) != std::string_view::npos;
}

/// Calls `see(offset)` for every character from `offset` on that stands in no quotes and no comment, until it says false.
/// Returns where a quote begins that is not closed, else npos.
std::size_t walk(std::string_view text, std::size_t offset, const auto& see)
{
    while (offset < text.size()) {
        const char c = text[offset];
        if ((c == '"' || c == '\'') && can_begin_value(text, offset)) {
            const std::size_t end = quote_end(text, offset);
            if (end == text.npos) return offset;
            offset = end;
        } else if (c == '#' && (offset == 0 || text[offset - 1] == ' ' || text[offset - 1] == '\n')) {
            offset = std::min(text.find('\n', offset), text.size());
        } else {
            if (!see(offset)) return text.npos;
            ++offset;
        }
    }
    return text.npos;
}

std::size_t open_quote(std::string_view text, std::size_t from)
{
    return walk(text, from, [](std::size_t) { return true; });
}

bool is_closed(std::string_view text, std::size_t bracket)
{
    int depth = 0;
    bool closed = false;
    walk(text, bracket, [&](std::size_t at) {
        if (text[at] == '[' || text[at] == '{') ++depth;
        if (text[at] == ']' || text[at] == '}') closed = --depth == 0;
        return !closed;
    });
    return closed;
}

bool has_line_break(std::string_view text, std::size_t from, std::size_t to)
{
    return from < to && text.substr(from, to - from).find('\n') != text.npos;
}

/// Whether the line of that byte begins with a tab among its spaces.
bool has_tab_in_indentation(std::string_view text, std::size_t offset)
{
    const std::string_view before = text.substr(0, offset);
    const std::string_view line = text.substr(before.rfind('\n') + 1);  // npos + 1 is 0
    return line.substr(0, line.find_first_not_of(" \t")).find('\t') != line.npos;
}

constexpr std::string_view kEndInQuotes = "illegal EOF in scalar", kMarkerInQuotes = "illegal document indicator";

/// The parser's message in words that say what to do.
std::string explained(std::string_view message)
{
    struct {
        std::string_view part, says;
    } static constexpr kWords[] = {
        {"illegal map value", "a ':' where no value can begin; quote the text if it contains ': '"},
        {"illegal tab", "a tab in the indentation; use spaces"},
        {"end of map flow not found", "a ',' is missing before this, or the '}' of the '{' that is open here"},
        {"end of sequence flow not found", "a ',' is missing before this, or the ']' of the '[' that is open here"},
        {"end of map not found", "the indentation does not fit the lines above"},
        {"end of sequence not found", "the indentation does not fit the lines above; a list's items begin with '- '"},
        {"illegal block entry", "a '- ' where no list can begin; put it on a line of its own"},
        {"illegal map key", "a key where none can begin; the indentation does not fit the lines above"},
        {kEndInQuotes, "a quote is not closed"},
        {kMarkerInQuotes, "a quote is not closed"},
        {"illegal flow end", "a ']' or '}' that does not fit the bracket before it, or closes nothing"},
        {"unknown escape character", "an unknown escape; in double quotes write \\\\ for a backslash"},
        {"unknown token", "a character that begins nothing here; quote the text"},
        {"referenced anchor is not defined", "the alias refers to an anchor that is not defined above it"},
        {"bad file", "nested too deep"},
        {"TAG directive", "tags are not read; remove the %TAG line"},
    };
    for (const auto& word : kWords)
        if (message.find(word.part) != message.npos) return std::string(word.says);
    return std::string(utf8_prefix(message, 120));
}

}  // namespace

std::optional<YamlFault> find_open_bracket(std::string_view text, std::size_t bracket)
{
    if (is_closed(text, bracket)) return std::nullopt;
    const char open = text[bracket];
    return YamlFault{bracket,
                     fmt::format("the '{}' that begins here is not closed; write '{}' where it ends, and a ',' "
                                 "between its items",
                                 open, open == '[' ? ']' : '}')};
}

YamlFault fault_in(std::string_view text, const YamlTrouble& trouble)
{
    const auto says = [&](std::string_view part) { return trouble.message.find(part) != trouble.message.npos; };
    if (has_tab_in_indentation(text, trouble.offset)) return {trouble.offset, "a tab in the indentation; use spaces"};
    if (says(kEndInQuotes) || says(kMarkerInQuotes))
        if (const std::size_t start = open_quote(text, trouble.last); start != text.npos)
            return {start,
                    fmt::format("the quote that begins here is not closed; write {} where the text ends", text[start])};
    if (trouble.bracket)
        if (auto fault = find_open_bracket(text, *trouble.bracket)) return *fault;
    if (trouble.offset > 0 && text.substr(trouble.offset - 1).starts_with("${"))
        return {trouble.offset - 1, "inside of [ ] and { } a reference must stand in quotes: \"${NAME}\""};
    // a quote that is closed too late takes in what follows, and the parser stumbles over the rest of that line
    if (trouble.last < text.size() && (text[trouble.last] == '"' || text[trouble.last] == '\''))
        if (const std::size_t end = quote_end(text, trouble.last);
            end != text.npos && has_line_break(text, trouble.last, end) && !has_line_break(text, end, trouble.offset))
            return {trouble.last, "the quote that begins here ends only lines below; close it where the text ends"};
    return {trouble.offset, explained(trouble.message)};
}

std::string repaired(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) result += '\xC2';
        result += text.substr(0, length == 0 ? 1 : length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return result;
}

std::size_t find_control(std::string_view text)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) return i;
        if (c == 0xC2 && i + 1 < text.size()) {
            const auto next = static_cast<unsigned char>(text[i + 1]);
            if (next < 0xA0 && next != 0x85) return i;
        }
    }
    return text.npos;
}

}  // namespace cadre::config
