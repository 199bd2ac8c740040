#include "text/tokens.hpp"

#include "text/char_class.hpp"

namespace cadre::text {
namespace {

enum class Kind { gap, word, foreign, digits, signs, picture };

Kind kind_of(Character character)
{
    using enum CharClass;
    if (character.kind == space || character.kind == newline) return Kind::gap;
    if (character.bytes > 2) return Kind::picture;
    if (character.kind == number) return Kind::digits;
    if (character.kind == other) return Kind::signs;
    return character.bytes == 1 ? Kind::word : Kind::foreign;
}

/// What a run of `length` characters of one kind costs, in tenths of a token; spaces belong to what follows them.
std::size_t price(Kind kind, std::size_t length)
{
    switch (kind) {
    case Kind::gap: return length / 8 * 10;
    case Kind::word: return (length + 5) / 6 * 10;
    case Kind::foreign: return length * 4;
    case Kind::digits: return (length + 2) / 3 * 10;
    case Kind::signs: return (length + 1) / 2 * 10;
    case Kind::picture: break;
    }
    return length * 10;
}

}  // namespace

std::size_t estimate_tokens(std::string_view text)
{
    const CharClasses& classes = CharClasses::table();
    std::size_t tenths = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        Character character = classes.character(text, at);
        const Kind kind = kind_of(character);
        std::size_t length = 0;
        for (; at < text.size() && kind_of(character) == kind; character = classes.character(text, at)) {
            at += character.bytes;
            ++length;
        }
        tenths += price(kind, length);
    }
    return text.empty() ? 0 : tenths < 10 ? 1 : (tenths + 9) / 10;
}

}  // namespace cadre::text
