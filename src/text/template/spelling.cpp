#include "text/template/spelling.hpp"

#include "text/template/lexer.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

namespace cadre::text::tpl {
namespace {

using Type = Token::Type;

constexpr Type kNoSpaceBefore[] = {Type::rparen, Type::rbracket, Type::rbrace, Type::comma,
                                   Type::dot,    Type::pipe,     Type::colon};
constexpr Type kNoSpaceBehind[] = {Type::lparen, Type::lbracket, Type::lbrace, Type::dot, Type::pipe};
constexpr std::string_view kWords[] = {"and", "or", "not", "in", "is", "if", "else"};

bool has(std::span<const Type> types, Type type)
{
    return std::ranges::find(types, type) != types.end();
}

/// `f(x)`, `x[0]`, but `and (x)`.
bool opens_behind_value(const Token& before, const Token& token)
{
    if (!token.is(Type::lparen) && !token.is(Type::lbracket)) return false;
    const bool is_word = before.is(Type::name) && std::ranges::find(kWords, before.text) != std::end(kWords);
    return (before.is(Type::name) && !is_word) || before.is(Type::rparen) || before.is(Type::rbracket);
}

}  // namespace

std::string spelling_of(const Unit& expression)
{
    Lexer lexer(expression, Lexer::Mode::variable);
    std::string text;
    Token before;
    for (Token token = lexer.next(); !token.is(Type::end); token = lexer.next()) {
        const bool is_tight = text.empty() || has(kNoSpaceBefore, token.type) || has(kNoSpaceBehind, before.type) ||
                              opens_behind_value(before, token);
        if (!is_tight) text += ' ';
        text += token.text;
        before = token;
    }
    return text;
}

}  // namespace cadre::text::tpl
