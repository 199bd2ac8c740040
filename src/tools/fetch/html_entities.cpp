#include "tools/fetch/html_entities.hpp"

#include <algorithm>
#include <iterator>

namespace cadre::tools {

namespace {

struct Entity {
    std::string_view name;
    std::string_view text;
};

/// Those that texts are full of; sorted. The other two thousand stay as they are written.
constexpr Entity kEntities[] = {
    {"AElig", "Æ"},  {"Aring", "Å"},  {"Auml", "Ä"},   {"Eacute", "É"}, {"Oslash", "Ø"}, {"Ouml", "Ö"},
    {"Uuml", "Ü"},   {"aacute", "á"}, {"acirc", "â"},  {"aelig", "æ"},  {"agrave", "à"}, {"amp", "&"},
    {"apos", "'"},   {"aring", "å"},  {"atilde", "ã"}, {"auml", "ä"},   {"bdquo", "„"},  {"bull", "•"},
    {"ccedil", "ç"}, {"cent", "¢"},   {"copy", "©"},   {"deg", "°"},    {"divide", "÷"}, {"eacute", "é"},
    {"ecirc", "ê"},  {"egrave", "è"}, {"emsp", " "},   {"ensp", " "},   {"euml", "ë"},   {"euro", "€"},
    {"frac12", "½"}, {"frac14", "¼"}, {"frac34", "¾"}, {"ge", "≥"},     {"gt", ">"},     {"hellip", "…"},
    {"iacute", "í"}, {"icirc", "î"},  {"iquest", "¿"}, {"iuml", "ï"},   {"laquo", "«"},  {"larr", "←"},
    {"ldquo", "“"},  {"le", "≤"},     {"lsaquo", "‹"}, {"lsquo", "‘"},  {"lt", "<"},     {"mdash", "—"},
    {"micro", "µ"},  {"middot", "·"}, {"minus", "−"},  {"nbsp", " "},   {"ndash", "–"},  {"ne", "≠"},
    {"ntilde", "ñ"}, {"oacute", "ó"}, {"ocirc", "ô"},  {"ograve", "ò"}, {"oslash", "ø"}, {"otilde", "õ"},
    {"ouml", "ö"},   {"para", "¶"},   {"plusmn", "±"}, {"pound", "£"},  {"quot", "\""},  {"raquo", "»"},
    {"rarr", "→"},   {"rdquo", "”"},  {"reg", "®"},    {"rsaquo", "›"}, {"rsquo", "’"},  {"sbquo", "‚"},
    {"sect", "§"},   {"shy", ""},     {"szlig", "ß"},  {"thinsp", " "}, {"times", "×"},  {"trade", "™"},
    {"uacute", "ú"}, {"ucirc", "û"},  {"ugrave", "ù"}, {"uuml", "ü"},   {"yen", "¥"},    {"zwj", ""},
    {"zwnj", ""},
};
constexpr bool is_sorted = std::ranges::is_sorted(kEntities, {}, &Entity::name);
static_assert(is_sorted);

constexpr std::size_t kLongest = 12;

int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

/// `&#228;` and `&#xE4;`.
std::size_t append_number(std::string& out, std::string_view text)
{
    const bool is_hex = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
    const int base = is_hex ? 16 : 10;
    std::size_t end = is_hex ? 3 : 2;
    const std::size_t first = end;
    char32_t value = 0;
    for (; end < text.size() && digit_of(text[end]) < base; ++end)
        value = std::min<char32_t>(value * static_cast<char32_t>(base) + static_cast<char32_t>(digit_of(text[end])),
                                   0x110000);
    if (end == first) return 0;
    append_utf8(out, value < 0x100 ? from_windows_1252(static_cast<unsigned char>(value)) : value);
    return end < text.size() && text[end] == ';' ? end + 1 : end;
}

}  // namespace

char32_t from_windows_1252(unsigned char byte)
{
    static constexpr char16_t kUpper[32] = {0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                            0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD,
                                            0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                            0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};
    return byte >= 0x80 && byte < 0xA0 ? kUpper[byte - 0x80] : byte;
}

void append_utf8(std::string& out, char32_t c)
{
    const auto add = [&](char32_t byte) { out += static_cast<char>(byte); };
    const bool is_surrogate = c >= 0xD800 && c < 0xE000;
    const bool is_control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F || (c >= 0x80 && c < 0xA0);
    if (c > 0x10FFFF || is_surrogate || is_control) c = 0xFFFD;
    if (c < 0x80) {
        add(c);
    } else if (c < 0x800) {
        add(0xC0 | c >> 6);
        add(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        add(0xE0 | c >> 12);
        add(0x80 | (c >> 6 & 0x3F));
        add(0x80 | (c & 0x3F));
    } else {
        add(0xF0 | c >> 18);
        add(0x80 | (c >> 12 & 0x3F));
        add(0x80 | (c >> 6 & 0x3F));
        add(0x80 | (c & 0x3F));
    }
}

std::size_t append_entity(std::string& out, std::string_view text)
{
    if (text.size() > 1 && text[1] == '#') {
        if (const std::size_t size = append_number(out, text)) return size;
    }
    const std::size_t end = text.substr(0, kLongest).find(';');
    if (end != std::string_view::npos) {
        const std::string_view name = text.substr(1, end - 1);
        const auto* found = std::ranges::lower_bound(kEntities, name, {}, &Entity::name);
        if (found != std::end(kEntities) && found->name == name) {
            out += found->text;
            return end + 1;
        }
    }
    out += '&';
    return 1;
}

}  // namespace cadre::tools
