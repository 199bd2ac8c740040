#include "base/credential_text.hpp"

#include "base/redact.hpp"

#include <algorithm>

namespace cadre {

namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kQuotes = "\"'`";

bool is_quote(char c)
{
    return is_one_of(c, kQuotes);
}

bool continues_value(char c)
{
    return static_cast<unsigned char>(c) > ' ' && !is_quote(c) && !is_one_of(c, ",;&<>)]}");
}

void drop(std::string_view& text, std::size_t count)
{
    text.remove_prefix(std::min(count, text.size()));
}

/// Where the backslashes begin that belong to the quotation mark at `mark`.
std::size_t quote_begin(std::string_view text, std::size_t mark)
{
    while (mark > 0 && text[mark - 1] == '\\') --mark;
    return mark;
}

}  // namespace

bool is_one_of(char c, std::string_view characters)
{
    return characters.find(c) != std::string_view::npos;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view lower_case)
{
    const auto lower = [](char c) { return is_letter(c) ? static_cast<char>(c | 0x20) : c; };
    return std::ranges::equal(text.substr(0, lower_case.size()), lower_case, {}, lower);
}

bool ends_with_ignoring_case(std::string_view text, std::string_view lower_case)
{
    return text.size() >= lower_case.size() &&
           starts_with_ignoring_case(text.substr(text.size() - lower_case.size()), lower_case);
}

bool skip(std::string_view& text, std::string_view characters)
{
    const std::size_t before = text.size();
    drop(text, text.find_first_not_of(characters));
    return text.size() < before;
}

std::string_view quote_at(std::string_view text)
{
    const auto mark = std::min(text.find_first_not_of('\\'), text.size());
    return mark < text.size() && is_quote(text[mark]) ? text.substr(0, mark + 1) : std::string_view();
}

std::size_t quote_prefix_length(std::string_view text)
{
    constexpr std::size_t kLongest = 2;
    const std::size_t prefix = std::min(text.find_first_not_of("bBfFrRuU$@"), text.size());
    return prefix <= kLongest && !quote_at(text.substr(prefix)).empty() ? prefix : 0;
}

bool follows_text(std::string_view text)
{
    return text.empty() || is_one_of(text[0], ",]} \t\r\n");
}

std::size_t quoted_length(std::string_view text, std::string_view open)
{
    const std::size_t depth = open.size() - 1;
    std::size_t backslashes = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        // JSON in JSON doubles backslashes: where `\"` closes, `\\\"` does not, and `\\\\\"` does, after a backslash
        if (text[at] == open.back() && backslashes % (2 * (depth + 1)) == depth) return at - depth;
        backslashes = text[at] == '\\' ? backslashes + 1 : 0;
    }
    return text.size();
}

std::size_t bare_length(std::string_view text)
{
    const std::size_t masked = text.starts_with(kMasked) ? kMasked.size() : 0;  // its bracket ends no value
    const std::string_view tail = text.substr(masked);
    const std::size_t length = run_length(tail, continues_value);
    return masked + (length < tail.size() && is_quote(tail[length]) ? quote_begin(tail, length) : length);
}

std::size_t header_length(std::string_view text)
{
    for (std::size_t at = 0; at < text.size();) {
        const auto stop = text.find_first_of("\r\n\"'`", at);
        if (stop == std::string_view::npos) break;
        if (!is_quote(text[stop])) return stop;
        // username="ann": what follows `=` is a parameter; any other quotation mark closes what the header stands in
        const std::size_t begin = quote_begin(text, stop);
        const std::string_view tail = text.substr(stop + 1);
        if (begin == 0 || text[begin - 1] != '=' || follows_text(tail)) return begin;
        const std::string_view open = text.substr(begin, stop + 1 - begin);
        at = stop + 1 + quoted_length(tail, open) + open.size();
    }
    return text.size();
}

std::size_t structure_length(std::string_view text)
{
    const char open = text[0];
    const char close = open == '[' ? ']' : open == '{' ? '}' : ')';
    std::size_t depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (is_quote(text[at])) {
            const std::size_t begin = quote_begin(text, at);
            const std::string_view quote = text.substr(begin, at + 1 - begin);
            at += quoted_length(text.substr(at + 1), quote) + quote.size();
        } else if (text[at] == open) {
            ++depth;
        } else if (text[at] == close && --depth == 0) {
            return at + 1;
        }
    }
    return text.size();
}

bool begins_structure(std::string_view text, bool certain)
{
    if (text.empty() || !is_one_of(text[0], "[{(") || text.starts_with(kMasked)) return false;
    const bool is_tuple = text[0] == '(';
    drop(text, 1);
    skip(text, kSpace);
    if (!text.empty() && is_one_of(text[0], "]})")) return false;
    if (certain) return true;

    skip(text, "[{(,)}] \t\r\n");
    drop(text, quote_prefix_length(text));
    if (const auto open = quote_at(text); !open.empty()) return !follows_text(text.substr(open.size()));
    const std::string_view first = text.substr(0, bare_length(text));
    drop(text, first.size());
    if (is_tuple || first.empty()) return false;
    return first.ends_with(':') || (!text.empty() && is_one_of(text[0], ",]}\r\n"));
}

bool begins_with_number(std::string_view structure)
{
    constexpr std::size_t kLookedAt = 256;
    structure = structure.substr(0, kLookedAt);
    do {
        skip(structure, "[{( \t\r\n");
        if (!structure.empty() && is_digit(structure[0])) return true;
        if (const auto open = quote_at(structure); !open.empty()) {
            drop(structure, open.size());
            drop(structure, quoted_length(structure, open) + open.size());
        } else {
            drop(structure, run_length(structure, is_word_character));
        }
        skip(structure, kSpace);
        if (!structure.starts_with(':')) return false;
        drop(structure, 1);
    } while (true);
}

}  // namespace cadre
