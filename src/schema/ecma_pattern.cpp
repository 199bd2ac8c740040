#include "schema/ecma_pattern.hpp"

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "schema/quote.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace cadre::schema {

namespace {

// Ranges to stand inside of [ ]. RE2's own \s is ASCII without \v.
constexpr std::string_view kSpace = R"(\x09-\x0D\x20\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F})"
                                    R"(\x{3000}\x{FEFF})";
constexpr std::string_view kNotSpace = R"(\x00-\x08\x0E-\x1F\x21-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF})"
                                       R"(\x{200B}-\x{2027}\x{202A}-\x{202E}\x{2030}-\x{205E}\x{2060}-\x{2FFF})"
                                       R"(\x{3001}-\x{FEFE}\x{FF00}-\x{10FFFF})";
constexpr std::string_view kNotLineEnd = R"([^\n\r\x{2028}\x{2029}])";
constexpr std::string_view kAnything = R"([\x00-\x{10FFFF}])";
constexpr std::string_view kNothing = R"([^\x00-\x{10FFFF}])";

// RE2 knows the short names of general categories, and scripts.
constexpr std::pair<std::string_view, std::string_view> kProperties[] = {
    {"Letter", "L"},
    {"Lowercase_Letter", "Ll"},
    {"Uppercase_Letter", "Lu"},
    {"Titlecase_Letter", "Lt"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Mark", "M"},
    {"Combining_Mark", "M"},
    {"Nonspacing_Mark", "Mn"},
    {"Spacing_Mark", "Mc"},
    {"Enclosing_Mark", "Me"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Letter_Number", "Nl"},
    {"Other_Number", "No"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Connector_Punctuation", "Pc"},
    {"Dash_Punctuation", "Pd"},
    {"Open_Punctuation", "Ps"},
    {"Close_Punctuation", "Pe"},
    {"Initial_Punctuation", "Pi"},
    {"Final_Punctuation", "Pf"},
    {"Other_Punctuation", "Po"},
    {"Symbol", "S"},
    {"Math_Symbol", "Sm"},
    {"Currency_Symbol", "Sc"},
    {"Modifier_Symbol", "Sk"},
    {"Other_Symbol", "So"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Line_Separator", "Zl"},
    {"Paragraph_Separator", "Zp"},
    {"Other", "C"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Format", "Cf"},
    {"Surrogate", "Cs"},
    {"Private_Use", "Co"},
    {"Any", "Any"},
};

std::string hex(std::uint32_t character)
{
    return fmt::format("\\x{{{:X}}}", character);
}

class Translator {
public:
    explicit Translator(std::string_view ecma) : ecma_(ecma), rest_(ecma) {}

    Translation translate()
    {
        while (!rest_.empty()) {
            const char c = rest_.front();
            if (c == '\\') escape(false);
            else if (c == '[') character_class();
            else if (c == '.') replace(1, kNotLineEnd);
            else if (rest_.starts_with("(?")) group();
            else copy();
        }
        return std::move(result_);
    }

private:
    [[noreturn]] void fail(std::string_view why) const
    {
        throw Error(Code::invalid, fmt::format("the pattern {} is not ECMA-262: {}", quoted_whole(ecma_), why));
    }

    void copy() { replace(1, rest_.substr(0, 1)); }
    void replace(std::size_t length, std::string_view with)
    {
        result_.re2 += with;
        rest_.remove_prefix(length);
    }
    void refuse(std::string_view what, std::size_t length, std::string_view with)
    {
        if (result_.unsupported.empty()) result_.unsupported = what;
        replace(length, with);
    }

    void group()
    {
        for (const std::string_view look : {"(?=", "(?!", "(?<=", "(?<!"})
            if (rest_.starts_with(look)) return refuse("look-around", look.size(), "(?:");
        if (rest_.starts_with("(?<")) replace(3, "(?P<");
        else replace(2, "(?");
    }

    void character_class()
    {
        if (rest_.starts_with("[]")) return replace(2, kNothing);
        if (rest_.starts_with("[^]")) return replace(3, kAnything);
        copy();
        if (rest_.starts_with('^')) copy();
        while (!rest_.empty() && rest_.front() != ']') {
            if (rest_.front() == '\\') escape(true);
            else if (rest_.front() == '[') replace(1, "\\[");  // RE2 would see [:alpha:]
            else copy();
        }
        if (rest_.empty()) fail("a [ without its ]");
        copy();
    }

    void escape(bool in_class)
    {
        if (rest_.size() < 2) fail("it ends with a \\");
        const char c = rest_[1];
        switch (c) {
        case 'd':
        case 'D':
        case 'w':
        case 'W':
        case 't':
        case 'n':
        case 'r':
        case 'f':
        case 'v': return replace(2, rest_.substr(0, 2));
        case 's': return replace(2, in_class ? std::string(kSpace) : fmt::format("[{}]", kSpace));
        case 'S': return replace(2, in_class ? std::string(kNotSpace) : fmt::format("[{}]", kNotSpace));
        case 'b': return replace(2, in_class ? "\\x08" : "\\b");
        case 'B':
            if (in_class) break;
            return replace(2, "\\B");
        case '0':
            if (rest_.size() > 2 && rest_[2] >= '0' && rest_[2] <= '9') break;
            return replace(2, "\\x00");
        case 'c': return control();
        case 'x': return hexadecimal(2, 2);
        case 'u': return unicode();
        case 'p':
        case 'P': return property(in_class);
        case 'k': return refuse("back references", 2, in_class ? "k" : "");
        default: break;
        }
        if (c >= '1' && c <= '9' && !in_class) return refuse("back references", 2, "(?:)");
        if (c == '_') return replace(2, "_");
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (is_letter) fail(fmt::format("it has no escape \\{}", c));
        const std::size_t length = std::max<std::size_t>(utf8_length(rest_.substr(1)), 1);
        if (length > 1) return replace(1 + length, rest_.substr(1, length));
        replace(2, rest_.substr(0, 2));
    }

    void control()
    {
        const char letter = rest_.size() > 2 ? static_cast<char>(rest_[2] | 0x20) : '\0';
        if (letter < 'a' || letter > 'z') fail("\\c needs a letter");
        replace(3, hex(static_cast<std::uint32_t>(letter - 'a' + 1)));
    }

    /// The number in `digits` characters of hexadecimal after `skip` others.
    std::optional<std::uint32_t> read_hex(std::size_t skip, std::size_t digits) const
    {
        std::uint32_t number = 0;
        if (rest_.size() < skip + digits || digits == 0) return std::nullopt;
        const char* begin = rest_.data() + skip;
        const auto end = std::from_chars(begin, begin + digits, number, 16).ptr;
        return end == begin + digits ? std::optional(number) : std::nullopt;
    }

    void hexadecimal(std::size_t skip, std::size_t digits)
    {
        const auto character = read_hex(skip, digits);
        if (!character) fail("\\x needs two hexadecimal digits, \\u four");
        replace(skip + digits, hex(*character));
    }

    void unicode()
    {
        if (rest_.starts_with("\\u{")) {
            const auto end = rest_.find('}');
            const auto character = end == std::string_view::npos ? std::nullopt : read_hex(3, end - 3);
            if (!character || *character > 0x10FFFF) fail("\\u{…} needs a character's number");
            return replace(end + 1, hex(*character));
        }
        const auto high = read_hex(2, 4);
        const auto low =
            rest_.substr(std::min<std::size_t>(rest_.size(), 6)).starts_with("\\u") ? read_hex(8, 4) : std::nullopt;
        if (high && low && *high >= 0xD800 && *high < 0xDC00 && *low >= 0xDC00 && *low < 0xE000)
            return replace(12, hex(0x10000 + ((*high - 0xD800) << 10) + (*low - 0xDC00)));
        hexadecimal(2, 4);
    }

    void property(bool in_class)
    {
        const auto end = rest_.find('}');
        if (!rest_.substr(2).starts_with('{') || end == std::string_view::npos) fail("\\p needs a name in { }");
        std::string_view name = rest_.substr(3, end - 3);
        for (const std::string_view kind : {"General_Category=", "gc=", "Script=", "sc=", "Script_Extensions=", "scx="})
            if (name.starts_with(kind)) {
                name.remove_prefix(kind.size());
                break;
            }
        const char sign = rest_[1];
        if (name == "ASCII") {
            const std::string_view range = sign == 'p' ? R"(\x00-\x7F)" : R"(\x{80}-\x{10FFFF})";
            return replace(end + 1, in_class ? std::string(range) : fmt::format("[{}]", range));
        }
        const auto* known = std::ranges::find(kProperties, name, [](const auto& p) { return p.first; });
        if (known != std::end(kProperties)) name = known->second;
        replace(end + 1, fmt::format("\\{}{{{}}}", sign, name));
    }

    std::string_view ecma_;
    std::string_view rest_;
    Translation result_;
};

}  // namespace

Translation to_re2(std::string_view ecma)
{
    return Translator(ecma).translate();
}

}  // namespace cadre::schema
