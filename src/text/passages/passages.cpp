#include "text/passages/passages.hpp"

#include "base/ascii.hpp"
#include "base/trim.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace cadre::text {
namespace {

constexpr std::string_view kQuote = "> ";

/// Takes the first line off, without its end.
std::string_view take_line(std::string_view& rest)
{
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

/// `[3] docs/returns.md:12 (Returns)`
std::optional<Passage> place_in(std::string_view line)
{
    if (!line.starts_with('[')) return std::nullopt;
    const std::size_t close = line.find("] ");
    if (close == line.npos || close < 2 || !std::ranges::all_of(line.substr(1, close - 1), is_digit))
        return std::nullopt;
    line.remove_prefix(close + 2);
    Passage passage;
    if (const std::size_t open = line.find(" ("); open != line.npos && line.ends_with(')')) {
        passage.heading = line.substr(open + 2, line.size() - open - 3);
        line = line.substr(0, open);
    }
    passage.line = 0;
    const std::size_t colon = std::min(line.rfind(':'), line.size());
    const std::string_view number = line.substr(std::min(colon + 1, line.size()));
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), passage.line);
    const bool has_line = error == std::errc{} && end == number.data() + number.size();
    passage.source = line.substr(0, has_line ? colon : line.size());
    if (!has_line) passage.line = 0;
    return passage;
}

bool is_list_item(std::string_view line)
{
    line = trimmed(line);
    if (line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ") || line.starts_with("• "))
        return true;
    std::size_t digits = 0;
    while (digits < line.size() && is_digit(line[digits])) ++digits;
    return digits > 0 && digits <= 3 && digits + 1 < line.size() && (line[digits] == '.' || line[digits] == ')') &&
           line[digits + 1] == ' ';
}

bool is_row(std::string_view line)
{
    return trimmed(line).starts_with('|');
}

// ---- documents ----

/// Cuts a document into passages, line by line.
class PassageSplitter {
public:
    PassageSplitter(const std::string& source, bool has_headings) : source_(source), has_headings_(has_headings) {}

    void take(std::string_view line, std::size_t number)
    {
        const bool is_fence = trimmed(line).starts_with("```");
        if (!is_fenced_ && has_headings_ && take_heading(line)) return;
        if (is_fence) is_fenced_ = !is_fenced_;
        const bool is_blank = trimmed(line).empty();
        if (is_blank && !is_fenced_ && text_.size() >= kUsualPassage / 2) return flush();
        if (text_.empty() && is_blank) return;
        if (text_.size() + line.size() > kUsualPassage && !text_.empty() && !is_fenced_) flush();
        for (std::string_view rest = line;;) {  // a line may be longer than any passage
            if (text_.empty()) begin_ = number;
            const std::string_view piece = utf8_prefix(rest, piece_end(rest));
            text_ += piece;
            text_ += '\n';
            rest.remove_prefix(piece.size());
            if (text_.size() >= kLongestPassage) flush();
            if (rest.empty()) break;
        }
    }

    std::vector<Passage> end()
    {
        flush();
        return std::move(passages_);
    }

private:
    /// Where a line that is too long is cut: at a blank, if there is one.
    static std::size_t piece_end(std::string_view line)
    {
        if (line.size() <= kLongestPassage) return line.size();
        const std::size_t blank = line.rfind(' ', kUsualPassage);
        return blank == line.npos || blank < kUsualPassage / 2 ? kUsualPassage : blank + 1;
    }

    bool take_heading(std::string_view line)
    {
        std::size_t level = 0;
        while (level < line.size() && line[level] == '#') ++level;
        if (level == 0 || level > 6 || level == line.size() || line[level] != ' ') return false;
        flush();
        while (!headings_.empty() && headings_.back().first >= level) headings_.pop_back();
        std::string_view words = trimmed(line.substr(level));
        while (words.ends_with('#')) words.remove_suffix(1);
        headings_.emplace_back(level, std::string(utf8_prefix(trimmed(words), 120)));
        return true;
    }

    void flush()
    {
        while (text_.ends_with('\n')) text_.pop_back();
        if (!trimmed(text_).empty()) {
            std::string heading;
            for (const auto& [level, words] : headings_) heading += (heading.empty() ? "" : " > ") + words;
            passages_.push_back(
                {.source = source_, .line = begin_, .heading = std::move(heading), .text = std::move(text_)});
        }
        text_.clear();
    }

    const std::string& source_;
    bool has_headings_;
    bool is_fenced_ = false;
    std::vector<std::pair<std::size_t, std::string>> headings_{};
    std::string text_{};
    std::size_t begin_ = 1;
    std::vector<Passage> passages_{};
};

/// Words that end with a full stop and no sentence.
bool is_short_form(std::string_view before)
{
    const std::size_t blank = before.find_last_of(" \n(");
    const std::string word = lower(before.substr(blank == before.npos ? 0 : blank + 1));
    constexpr std::string_view forms[] = {"e.g", "i.e", "mr",  "mrs", "ms",  "dr", "prof",   "st",  "no", "nr",
                                          "vs",  "etc", "z.b", "d.h", "bzw", "ca", "approx", "fig", "p",  "pp"};
    if (std::ranges::find(forms, word) != std::end(forms)) return true;
    return !word.empty() && word.size() <= 2 && std::ranges::all_of(word, is_digit);  // "3. May"
}

}  // namespace

std::string place_text(const Passage& passage)
{
    std::string text = passage.source;
    if (passage.line > 0) text += fmt::format(":{}", passage.line);
    if (!passage.heading.empty()) text += fmt::format(" ({})", passage.heading);
    return text;
}

std::string to_text(const std::vector<Passage>& passages)
{
    std::string text;
    for (std::size_t i = 0; i < passages.size(); ++i) {
        text += fmt::format("{}[{}] {}\n", i == 0 ? "" : "\n", i + 1, place_text(passages[i]));
        for (std::string_view rest = passages[i].text; !rest.empty();)
            text += fmt::format("{}{}\n", kQuote, take_line(rest));
    }
    return text;
}

std::vector<Passage> passages_in(std::string_view text)
{
    std::vector<Passage> passages;
    bool is_open = false;
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        if (auto place = place_in(line)) {
            passages.push_back(std::move(*place));
            is_open = true;
        } else if (is_open && line.starts_with(kQuote)) {
            if (!passages.back().text.empty()) passages.back().text += '\n';
            passages.back().text += line.substr(kQuote.size());
        } else {
            is_open = false;
        }
    }
    std::erase_if(passages, [](const Passage& one) { return one.text.empty(); });
    return passages;
}

std::vector<Passage> split_document(std::string_view document, const std::string& source, bool has_headings)
{
    const std::string clean = clean_text(document);
    PassageSplitter splitter(source, has_headings);
    std::size_t number = 1;
    std::string_view rest = clean;
    if (has_headings && rest.starts_with("---\n"))  // what stands before the text about it
        if (const std::size_t end = rest.find("\n---\n", 4); end != rest.npos && end < 4096) {
            number += static_cast<std::size_t>(std::ranges::count(rest.substr(0, end + 5), '\n'));
            rest.remove_prefix(end + 5);
        }
    for (; !rest.empty(); ++number) splitter.take(take_line(rest), number);
    return splitter.end();
}

std::vector<Sentence> sentences_of(std::string_view text)
{
    std::vector<Sentence> all;
    std::string open;
    std::size_t begin = 0;
    const auto close = [&] {
        if (const std::string_view whole = trimmed(open); !whole.empty()) all.push_back({std::string(whole), begin});
        open.clear();
    };
    for (std::size_t number = 0; !text.empty(); ++number) {
        const std::string_view line = trimmed(take_line(text));
        if (line.empty() || is_list_item(line) || is_row(line)) close();
        if (open.empty()) begin = number;
        else if (!line.empty()) open += ' ';
        std::size_t from = 0;
        for (std::size_t at = 0; at < line.size(); ++at) {
            const bool is_wide = line.compare(at, 3, "。") == 0 || line.compare(at, 3, "！") == 0 ||
                                 line.compare(at, 3, "？") == 0 || line.compare(at, 3, "।") == 0;
            const bool is_end = (line[at] == '.' || line[at] == '!' || line[at] == '?') &&
                                (at + 1 == line.size() || line[at + 1] == ' ') &&
                                !is_short_form(line.substr(from, at - from)) &&
                                !(at <= 3 && is_list_item(line.substr(0, at + 2)));
            if (!is_wide && !is_end) continue;
            const std::size_t after = at + (is_wide ? 3 : 1);
            open += line.substr(from, after - from);
            close();
            begin = number;
            from = std::min(line.find_first_not_of(' ', after), line.size());
            at = std::max(at, from == 0 ? at : from - 1);
        }
        open += line.substr(std::min(from, line.size()));
        if (is_row(line)) close();
    }
    close();
    return all;
}

std::string clean_text(std::string_view text)
{
    std::string clean;
    clean.reserve(text.size());
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    while (!text.empty()) {
        const auto byte = static_cast<unsigned char>(text.front());
        if (byte < 0x80) {
            clean += byte >= 0x20 || byte == '\n' || byte == '\t' ? static_cast<char>(byte) : byte == '\r' ? '\r' : ' ';
            text.remove_prefix(1);
            continue;
        }
        const std::size_t length = utf8_length(text);
        clean += length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return clean;
}

}  // namespace cadre::text
