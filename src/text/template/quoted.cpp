#include "base/ascii.hpp"
#include "text/template/characters.hpp"
#include "text/template/lexer.hpp"

#include <optional>

namespace cadre::text::tpl {
namespace {

class Unquoting {
public:
    Unquoting(std::string_view text, std::string& out, std::string& why) : text_(text), out_(out), why_(why) {}

    bool run()
    {
        while (at_ < text_.size()) {
            if (text_[at_] != '\\') {
                out_ += text_[at_++];
                continue;
            }
            if (at_ + 1 >= text_.size()) return fail("a backslash at the end");
            at_ += 2;
            if (!escape(text_[at_ - 1])) return false;
        }
        return true;
    }

private:
    bool fail(std::string why)
    {
        why_ = std::move(why);
        return false;
    }

    bool escape(char c)
    {
        static constexpr std::string_view kLetters = "\\'\"abfnrtv";
        static constexpr std::string_view kMeanings = "\\'\"\a\b\f\n\r\t\v";
        if (const std::size_t i = kLetters.find(c); i != kLetters.npos) {
            out_ += kMeanings[i];
            return true;
        }
        switch (c) {
        case '\n': return true;
        case 'x': return number(2);
        case 'u': return number(4);
        case 'U': return number(8);
        case 'N': return fail("\\N{…} is not part of the language; write the character itself");
        default: break;
        }
        if (c >= '0' && c <= '7') return octal(c);
        out_ += '\\';
        out_ += c;
        return true;
    }

    bool octal(char first)
    {
        char32_t value = static_cast<char32_t>(first - '0');
        for (int i = 0; i < 2 && at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '7'; ++i)
            value = value * 8 + static_cast<char32_t>(text_[at_++] - '0');
        append_utf8(out_, value);
        return true;
    }

    bool number(int digits)
    {
        char32_t value = 0;
        for (int i = 0; i < digits; ++i) {
            const char c = at_ < text_.size() ? cadre::lower(text_[at_]) : '\0';
            if (!is_digit(c) && !(c >= 'a' && c <= 'f')) return fail("an escape that is cut short");
            value = value * 16 + static_cast<char32_t>(is_digit(c) ? c - '0' : c - 'a' + 10);
            ++at_;
        }
        if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return fail("an escape that is not a character");
        append_utf8(out_, value);
        return true;
    }

    std::string_view text_;
    std::string& out_;
    std::string& why_;
    std::size_t at_ = 0;
};

}  // namespace

bool unquoted(std::string_view quoted, std::string& out, std::string& why)
{
    if (quoted.find('\\') == quoted.npos) {
        out = quoted;
        return true;
    }
    // an escape first, so that a backslash before a character is a backslash, and the escape is text
    return Unquoting(ascii_escaped(quoted), out, why).run();
}

}  // namespace cadre::text::tpl
