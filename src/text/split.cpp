#include "text/split.hpp"

#include "text/char_class.hpp"

namespace cadre::text {
namespace {

using enum CharClass;

constexpr bool is_letter(CharClass kind)
{
    return kind == upper || kind == lower || kind == letter;
}

constexpr bool is_sign(CharClass kind)
{
    return kind == other || kind == mark;
}

/// Each function below answers where its part ends that begins at `at`, or `at` (or 0, where it says so) when there is none.
/// A character is looked at a bounded number of times: a part that gives characters back is followed by one that keeps them.
class Splitter {
public:
    explicit Splitter(std::string_view text) : text_(text), classes_(CharClasses::table()) {}

    /// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
    /// |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
    /// |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
    std::size_t o200k() const
    {
        const auto [kind, bytes] = character(0);
        if (const std::size_t end = cased_word(kind, bytes)) return contraction(end);
        if (kind == number) return digits();
        if (const std::size_t end = signs(kind)) return while_bytes(end, "\r\n/");
        return spaces(false);
    }

    /// '(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s
    std::size_t cl100k() const
    {
        const auto [kind, bytes] = character(0);
        if (const std::size_t end = contraction(0)) return end;
        const bool prefix = !is_letter(kind) && kind != number && kind != newline;
        const std::size_t start = prefix ? bytes : 0;
        if (const std::size_t end = run(start, is_letter); end > start) return end;
        if (kind == number) return digits();
        if (const std::size_t end = signs(kind)) return while_bytes(end, "\r\n");
        return spaces(true);
    }

private:
    Character character(std::size_t at) const { return classes_.character(text_, at); }

    template <class Wanted>
    std::size_t run(std::size_t at, Wanted wanted) const
    {
        for (Character c = character(at); c.bytes != 0 && wanted(c.kind); c = character(at)) at += c.bytes;
        return at;
    }

    std::size_t while_bytes(std::size_t at, std::string_view wanted) const
    {
        while (at < text_.size() && wanted.find(text_[at]) != std::string_view::npos) ++at;
        return at;
    }

    struct Cased {
        std::size_t mixed =
            0;  // the end of the first alternative, which needs something that may be lower case; 0: none
        std::size_t upper = 0;  // the end of the second
    };

    Cased cased(std::size_t at) const
    {
        Cased ends{.upper = at};
        for (Character c = character(at); c.kind == upper || c.kind == letter || c.kind == mark; c = character(at)) {
            ends.upper = at += c.bytes;
            if (c.kind != upper) ends.mixed = at;  // may stand for lower case too: the last such one ends the piece
        }
        const auto lower_run = [](CharClass kind) { return kind == lower || kind == letter || kind == mark; };
        if (character(at).kind == lower) ends.mixed = run(at, lower_run);
        return ends;
    }

    /// 0: no word begins here, nor one behind a sign or space.
    std::size_t cased_word(CharClass kind, std::size_t bytes) const
    {
        if (is_letter(kind)) {
            const Cased word = cased(0);
            return word.mixed ? word.mixed : word.upper;
        }
        if (kind == number || kind == newline || kind == end) return 0;
        const Cased behind = cased(bytes);
        if (behind.mixed) return behind.mixed;
        if (kind == mark) return bytes;  // it is a word itself, which comes before upper case behind a prefix
        return behind.upper > bytes ? behind.upper : 0;
    }

    /// The end of the contraction that begins at `at`. (?i:s) is also U+017F, the long s.
    std::size_t contraction(std::size_t at) const
    {
        const std::string_view rest = text_.substr(at);
        if (rest.size() < 2 || rest[0] != '\'') return at;
        const auto small = [&](std::size_t i) { return i < rest.size() ? static_cast<char>(rest[i] | 0x20) : '\0'; };
        const char first = small(1);
        const char second = small(2);
        if (first == 's' || first == 'd' || first == 'm' || first == 't') return at + 2;
        if ((first == 'l' && second == 'l') || ((first == 'v' || first == 'r') && second == 'e')) return at + 3;
        return rest.substr(1).starts_with("\u017f") ? at + 3 : at;
    }

    std::size_t digits() const
    {
        std::size_t at = 0;
        for (int i = 0; i < 3; ++i) {
            const Character c = character(at);
            if (c.kind != number) break;
            at += c.bytes;
        }
        return at;
    }

    /// 0: none.
    std::size_t signs(CharClass kind) const
    {
        const std::size_t start = kind == space && text_[0] == ' ' ? 1 : 0;
        const std::size_t end = run(start, is_sign);
        return end > start ? end : 0;
    }

    /// All up to the last newline; else all, but for one space that belongs to what follows. `whole_tail`: at the end of the
    /// text newlines do not count.
    std::size_t spaces(bool whole_tail) const
    {
        std::size_t at = 0;
        std::size_t last = 0;
        std::size_t newlines = 0;
        for (Character c = character(0); c.kind == space || c.kind == newline; c = character(at)) {
            last = at;
            at += c.bytes;
            if (c.kind == newline) newlines = at;
        }
        if (whole_tail && at == text_.size()) return at;
        if (newlines) return newlines;
        return at == text_.size() || last == 0 ? at : last;
    }

    std::string_view text_;
    const CharClasses& classes_;
};

}  // namespace

std::size_t first_piece(std::string_view text, Encoding encoding)
{
    const Splitter splitter(text);
    return encoding == Encoding::o200k_base ? splitter.o200k() : splitter.cl100k();
}

}  // namespace cadre::text
