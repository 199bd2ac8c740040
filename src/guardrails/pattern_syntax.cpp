#include "guardrails/pattern_syntax.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "text/code_point.hpp"
#include "text/fold.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace cadre::guardrails {

namespace {

using Type = PatternNode::Type;

CharSet characters_of(std::string_view ranges)
{
    CharSet set;
    for (std::size_t i = 0; i + 1 < ranges.size(); i += 2)
        set.add(static_cast<unsigned char>(ranges[i]), static_cast<unsigned char>(ranges[i + 1]));
    return set;
}

struct NamedClass {
    std::string_view name;
    std::string_view ranges;  // pairs
};

constexpr NamedClass kPosixClasses[] = {
    {"alnum", "09AZaz"}, {"alpha", "AZaz"}, {"blank", "\t\t  "},  {"digit", "09"},
    {"graph", "!~"},     {"lower", "az"},   {"print", " ~"},      {"punct", "!/:@[`{~"},
    {"space", "\t\r  "}, {"upper", "AZ"},   {"word", "09AZaz__"}, {"xdigit", "09AFaf"},
};

std::optional<CharSet> perl_class(char letter)
{
    CharSet set;
    switch (lower(letter)) {
    case 'd': set = characters_of("09"); break;
    case 'w': set = characters_of("09AZaz__"); break;
    case 's': set = characters_of("\t\n\f\r  "); break;
    default: return std::nullopt;
    }
    set = set.folded();
    return letter == lower(letter) ? set : set.inverted();
}

/// What is there but not known to the automaton.
struct Unsupported {
    std::string what;
};

class Parser {
public:
    explicit Parser(std::string_view pattern) : rest_(pattern) {}

    PatternNode parse()
    {
        PatternNode root = alternatives();
        if (!rest_.empty()) throw Unsupported{"an unmatched bracket"};
        return root;
    }

private:
    struct Flags {
        bool multi_line = false;
        bool dot_all = false;
    };

    bool skip(std::string_view text)
    {
        if (!rest_.starts_with(text)) return false;
        rest_.remove_prefix(text.size());
        return true;
    }

    char32_t take()
    {
        if (rest_.empty()) throw Unsupported{"a pattern that ends early"};
        const text::CodePoint c = text::first_code_point(rest_);
        rest_.remove_prefix(c.bytes);
        return c.value;
    }

    PatternNode alternatives()
    {
        PatternNode node{.type = Type::alternatives};
        do node.parts.push_back(sequence());
        while (skip("|"));
        return node.parts.size() == 1 ? std::move(node.parts[0]) : node;
    }

    PatternNode sequence()
    {
        PatternNode node{.type = Type::sequence};
        while (!rest_.empty() && rest_[0] != '|' && rest_[0] != ')') {
            if (skip("\\Q")) {
                while (!rest_.empty() && !skip("\\E")) node.parts.push_back(literal(take()));
                if (!node.parts.empty()) node.parts.back() = repeated(std::move(node.parts.back()));
                continue;
            }
            if (skip("\\E")) continue;
            if (std::optional<PatternNode> one = atom()) node.parts.push_back(repeated(std::move(*one)));
        }
        return node;
    }

    PatternNode repeated(PatternNode one)
    {
        while (!rest_.empty()) {
            int least = 0;
            std::optional<int> most;
            if (skip("*")) {
            } else if (skip("+")) {
                least = 1;
            } else if (skip("?")) {
                most = 1;
            } else if (!counts(least, most)) {
                break;
            }
            skip("?");  // which of several matches is meant makes no difference here
            PatternNode node{.type = Type::repeat, .least = least, .most = most};
            node.parts.push_back(std::move(one));
            one = std::move(node);
        }
        return one;
    }

    /// `{2}`, `{2,}`, `{2,5}`; anything else is a bracket like any character.
    bool counts(int& least, std::optional<int>& most)
    {
        std::string_view at = rest_;
        const auto number = [&]() -> std::optional<int> {
            int value = 0;
            std::size_t digits = 0;
            for (; digits < at.size() && is_digit(at[digits]) && digits < 5; ++digits)
                value = value * 10 + (at[digits] - '0');
            at.remove_prefix(digits);
            return digits > 0 ? std::optional(value) : std::nullopt;
        };
        if (!at.starts_with("{")) return false;
        at.remove_prefix(1);
        const auto first = number();
        if (!first) return false;
        least = *first;
        most = least;
        if (at.starts_with(",")) {
            at.remove_prefix(1);
            most = number();
        }
        if (!at.starts_with("}")) return false;
        rest_ = at.substr(1);
        return true;
    }

    static PatternNode literal(char32_t c) { return {.type = Type::characters, .set = CharSet::of(c, c).folded()}; }
    static PatternNode asserting(Assertion assertion) { return {.type = Type::assertion, .assertion = assertion}; }

    /// Nothing: flags, which are not a part of what is matched.
    std::optional<PatternNode> atom()
    {
        if (skip("(")) return group();
        if (rest_[0] == '[') return PatternNode{.type = Type::characters, .set = bracketed()};
        if (rest_[0] == '\\') return escape();
        if (skip(".")) {
            const CharSet newline = CharSet::of('\n', '\n');
            return PatternNode{.type = Type::characters, .set = flags_.dot_all ? CharSet::any() : newline.inverted()};
        }
        if (skip("^")) return asserting(flags_.multi_line ? Assertion::line_begin : Assertion::text_begin);
        if (skip("$")) return asserting(flags_.multi_line ? Assertion::line_end : Assertion::text_end);
        return literal(take());
    }

    std::optional<PatternNode> group()
    {
        const Flags before = flags_;
        if (skip("?P<")) {
            while (take() != '>') {}
        } else if (skip("?") && !group_flags()) {
            return std::nullopt;  // (?s): to the end of the group around it
        }
        PatternNode node = alternatives();
        if (!skip(")")) throw Unsupported{"an unmatched bracket"};
        flags_ = before;
        return node;
    }

    /// Whether a group follows them.
    bool group_flags()
    {
        for (bool on = true;;) {
            switch (take()) {
            case ':': return true;
            case ')': return false;
            case '-': on = false; break;
            case 's': flags_.dot_all = on; break;
            case 'm': flags_.multi_line = on; break;
            case 'U': break;
            case 'i':
                if (on) break;
                throw Error(Code::invalid,
                            "it asks for one case by (?-i), but text is compared in any case: leave it out");
            default: throw Unsupported{"a group of this kind"};
            }
        }
    }

    PatternNode escape()
    {
        if (skip("\\A")) return asserting(Assertion::text_begin);
        if (skip("\\z")) return asserting(Assertion::text_end);
        if (skip("\\b")) return asserting(Assertion::word_edge);
        if (skip("\\B")) return asserting(Assertion::no_word_edge);
        if (const auto set = escaped_class()) return {.type = Type::characters, .set = *set};
        return literal(escaped_character());
    }

    std::optional<CharSet> escaped_class()
    {
        if (rest_.size() < 2 || rest_[0] != '\\') return std::nullopt;
        if (rest_[1] == 'p' || rest_[1] == 'P') throw Unsupported{"Unicode classes"};
        if (rest_[1] == 'C') throw Unsupported{"single bytes"};
        const auto set = perl_class(rest_[1]);
        if (set) rest_.remove_prefix(2);
        return set;
    }

    char32_t escaped_character()
    {
        skip("\\");
        const char32_t c = take();
        switch (c) {
        case 'a': return '\a';
        case 'f': return '\f';
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        case 'v': return '\v';
        case 'x': return hex_character();
        default: break;
        }
        if (c < 0x80 && (is_letter(static_cast<char>(c)) || is_digit(static_cast<char>(c))))
            throw Unsupported{fmt::format("\\{}", static_cast<char>(c))};
        return c;
    }

    char32_t hex_character()
    {
        const bool braced = skip("{");
        char32_t value = 0;
        for (int digits = 0; braced ? !skip("}") : digits < 2; ++digits) {
            const char32_t c = take();
            const auto digit = is_digit(static_cast<char>(c)) ? c - '0' : (c | 0x20) - 'a' + 10;
            if (digit > 15 || digits > 7) throw Unsupported{"\\x"};
            value = value * 16 + digit;
        }
        return value;
    }

    CharSet bracketed()
    {
        skip("[");
        const bool negated = skip("^");
        CharSet set;
        for (bool first = true; first || !rest_.starts_with("]"); first = false) {
            if (skip("[:")) {
                set.add(posix_class());
            } else if (const auto named = escaped_class()) {
                set.add(*named);
            } else {
                const char32_t low = class_character();
                char32_t high = low;
                if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
                    skip("-");
                    high = class_character();
                }
                set.add(CharSet::of(low, high).folded());
            }
        }
        skip("]");
        return negated ? set.inverted() : set;
    }

    char32_t class_character() { return rest_.starts_with("\\") ? escaped_character() : take(); }

    CharSet posix_class()
    {
        const bool negated = skip("^");
        for (const NamedClass& one : kPosixClasses)
            if (skip(std::string(one.name) + ":]")) {
                const CharSet set = characters_of(one.ranges).folded();
                return negated ? set.inverted() : set;
            }
        throw Unsupported{"a class of this name"};
    }

    std::string_view rest_;
    Flags flags_{};
};

bool is_edge_of_word(char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

void append_escaped(std::string& out, char32_t c)
{
    const bool is_mark = c < 0x80 && c > 0x20 && !is_edge_of_word(static_cast<char>(c));
    if (is_mark) out += '\\';
    text::append_code_point(out, c);
}

}  // namespace

std::size_t PatternNode::shortest() const
{
    std::size_t sum = 0;
    switch (type) {
    case Type::nothing:
    case Type::assertion: return 0;
    case Type::characters: return 1;
    case Type::sequence:
        for (const PatternNode& part : parts) sum += part.shortest();
        return sum;
    case Type::alternatives:
        sum = parts.front().shortest();
        for (const PatternNode& part : parts) sum = std::min(sum, part.shortest());
        return sum;
    case Type::repeat: break;
    }
    return static_cast<std::size_t>(least) * parts.front().shortest();
}

std::size_t PatternNode::steps() const
{
    constexpr std::size_t kEnough = 1 << 30;
    std::size_t sum = 1;
    for (const PatternNode& part : parts) sum = std::min(kEnough, sum + part.steps());
    const std::size_t copies =
        type == Type::repeat ? static_cast<std::size_t>(std::max({least, most.value_or(0), 1})) : 1;
    return std::min(kEnough, sum * copies);
}

ParsedPattern parse_pattern(std::string_view pattern)
{
    try {
        return {Parser(pattern).parse(), {}};
    } catch (const Unsupported& unsupported) {
        return {{}, unsupported.what};
    }
}

std::string usual_pattern(std::string_view pattern)
{
    std::string out;
    text::each_code_point(pattern, [&](char32_t c, std::size_t) {
        const char32_t plain = text::of_usual_width(c);
        if (plain == text::kNotSeen) return;
        if (plain != c) append_escaped(out, plain);
        else text::append_code_point(out, c);
    });
    return out;
}

std::string keyword_pattern(std::string_view word)
{
    const std::string folded = text::fold(word).text;
    std::string out;
    if (!folded.empty() && is_edge_of_word(folded.front())) out += "\\b";
    bool blank = false;
    text::each_code_point(folded, [&](char32_t c, std::size_t) {
        const bool is_blank = c == ' ' || (c >= '\t' && c <= '\r');
        if (is_blank && !blank) out += "[\\t-\\r ]{1,4}";
        if (!is_blank) append_escaped(out, c);
        blank = is_blank;
    });
    if (!folded.empty() && is_edge_of_word(folded.back())) out += "\\b";
    return out;
}

}  // namespace cadre::guardrails
