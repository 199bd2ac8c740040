#include "base/error.hpp"
#include "text/template/characters.hpp"
#include "text/template/meter.hpp"
#include "text/template/strings.hpp"

#include <algorithm>
#include <deque>

namespace cadre::text::tpl {
namespace {

bool is_blank(char32_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');  // textwrap breaks at these only
}

bool is_word_letter(char32_t c)
{
    return has(c, word) && !has(c, digit);
}

bool is_word_part(char32_t c)
{
    return has(c, word) || c == '!' || c == '"' || c == '\'' || c == '&' || c == '.' || c == ',' || c == '?';
}

struct Chunk {
    std::size_t begin;
    std::size_t end;
    std::size_t size() const { return end - begin; }
};

/// A line as characters, and where it may be cut; the rules are those of textwrap's regular expression.
class Line {
public:
    explicit Line(std::string_view text) : text_(text)
    {
        for (std::size_t at = 0; at < text.size();) {
            const CodePoint c = code_point(text, at);
            characters_.push_back(c.value);
            offsets_.push_back(at);
            at += c.bytes;
        }
        offsets_.push_back(text.size());
    }

    std::deque<Chunk> chunks(bool at_hyphens) const
    {
        std::deque<Chunk> chunks;
        for (std::size_t at = 0; at < characters_.size();) {
            const std::size_t end = at_hyphens ? chunk_end(at) : run_end(at, is_blank(characters_[at]));
            chunks.push_back({at, end});
            at = end;
        }
        return chunks;
    }

    std::string_view text(const Chunk& chunk) const
    {
        return text_.substr(offsets_[chunk.begin], offsets_[chunk.end] - offsets_[chunk.begin]);
    }

    bool is_space(const Chunk& chunk) const
    {
        return std::all_of(characters_.begin() + static_cast<std::ptrdiff_t>(chunk.begin),
                           characters_.begin() + static_cast<std::ptrdiff_t>(chunk.end),
                           [](char32_t c) { return has(c, space); });
    }

    /// Behind the last hyphen of the first `most` characters, if something else stands before it; else 0.
    std::size_t after_hyphen(const Chunk& chunk, std::size_t most) const
    {
        for (std::size_t i = std::min(most, chunk.size()); i-- > 1;) {
            if (characters_[chunk.begin + i] != '-') continue;
            const auto first = characters_.begin() + static_cast<std::ptrdiff_t>(chunk.begin);
            return std::any_of(first, first + static_cast<std::ptrdiff_t>(i), [](char32_t c) { return c != '-'; })
                       ? i + 1
                       : 0;
        }
        return 0;
    }

private:
    char32_t at(std::size_t i) const { return i < characters_.size() ? characters_[i] : 0; }

    std::size_t run_end(std::size_t from, bool blank) const
    {
        while (from < characters_.size() && is_blank(characters_[from]) == blank) ++from;
        return from;
    }

    /// Behind a dash of two or more hyphens between words; 0: none begins here.
    std::size_t dash_end(std::size_t from) const
    {
        if (from == 0 || at(from) != '-' || at(from + 1) != '-' || !is_word_part(at(from - 1))) return 0;
        std::size_t end = from;
        while (at(end) == '-') ++end;
        return end < characters_.size() && has(at(end), word) ? end : 0;
    }

    bool is_hyphen_to_break(std::size_t i) const
    {
        if (at(i) != '-' || i < 2) return false;
        const bool two_letters = is_word_letter(at(i - 1)) && is_word_letter(at(i - 2));
        const bool again = i >= 3 && is_word_letter(at(i - 3)) && at(i - 2) == '-' && is_word_letter(at(i - 1));
        if (!two_letters && !again) return false;
        return is_word_letter(at(i + 1)) &&
               (is_word_letter(at(i + 2)) || (at(i + 2) == '-' && is_word_letter(at(i + 3))));
    }

    std::size_t chunk_end(std::size_t from) const
    {
        if (is_blank(characters_[from])) return run_end(from, true);
        if (const std::size_t end = dash_end(from)) return end;
        for (std::size_t i = from + 1; i < characters_.size(); ++i) {
            if (is_hyphen_to_break(i)) return i + 1;
            if (is_blank(characters_[i]) || dash_end(i)) return i;
        }
        return characters_.size();
    }

    std::string_view text_;
    std::vector<char32_t> characters_{};
    std::vector<std::size_t> offsets_{};
};

}  // namespace

std::vector<std::string> wrapped_lines(std::string_view text, const WrapOptions& options, Meter& meter)
{
    if (options.width <= 0) throw Error(Code::invalid, "its width is more than 0");
    meter.charge_bytes(text.size() * 8);
    const auto width = static_cast<std::size_t>(options.width);
    const Line line(text);
    std::deque<Chunk> chunks = line.chunks(options.break_on_hyphens);
    std::vector<std::string> lines;
    while (!chunks.empty()) {
        meter.charge();
        if (!lines.empty() && line.is_space(chunks.front())) chunks.pop_front();
        std::vector<Chunk> current;
        std::size_t used = 0;
        while (!chunks.empty() && used + chunks.front().size() <= width) {
            used += chunks.front().size();
            current.push_back(chunks.front());
            chunks.pop_front();
        }
        if (!chunks.empty() && chunks.front().size() > width) {
            Chunk& word = chunks.front();
            if (options.break_long_words) {
                std::size_t end = width - used;
                if (options.hyphens_in_long_words && word.size() > end)
                    if (const std::size_t hyphen = line.after_hyphen(word, end)) end = hyphen;
                current.push_back({word.begin, word.begin + end});
                word.begin += end;
            } else if (current.empty()) {
                current.push_back(word);
                chunks.pop_front();
            }
        }
        if (!current.empty() && line.is_space(current.back())) current.pop_back();
        if (current.empty()) continue;
        lines.emplace_back(text.substr(0, 0));
        for (const Chunk& chunk : current) lines.back() += line.text(chunk);
    }
    return lines;
}

}  // namespace cadre::text::tpl
