#include "text/template/lexer.hpp"

#include "base/ascii.hpp"
#include "text/template/characters.hpp"

#include <fmt/core.h>

namespace cadre::text::tpl {
namespace {

using Type = Token::Type;

struct OperatorSign {
    std::string_view sign;
    Type type;
};

// the longer ones first
constexpr OperatorSign kOperators[] = {
    {"//", Type::floordiv}, {"**", Type::pow},   {"==", Type::eq},      {"!=", Type::ne},      {">=", Type::gteq},
    {"<=", Type::lteq},     {"+", Type::add},    {"-", Type::sub},      {"/", Type::div},      {"*", Type::mul},
    {"%", Type::mod},       {"~", Type::tilde},  {"[", Type::lbracket}, {"]", Type::rbracket}, {"(", Type::lparen},
    {")", Type::rparen},    {"{", Type::lbrace}, {"}", Type::rbrace},   {">", Type::gt},       {"<", Type::lt},
    {"=", Type::assign},    {".", Type::dot},    {":", Type::colon},    {"|", Type::pipe},     {",", Type::comma},
    {";", Type::semicolon},
};

bool is_sign(char c)
{
    return c == '-' || c == '+';
}

bool is_base_digit(char c, char base)
{
    switch (base) {
    case 'b': return c == '0' || c == '1';
    case 'o': return c >= '0' && c <= '7';
    default: return is_digit(c) || (cadre::lower(c) >= 'a' && cadre::lower(c) <= 'f');
    }
}

bool is_name_character(const CodePoint& c)
{
    return (properties_of(c.value) & (word | name_part)) != 0;
}

}  // namespace

Token Lexer::next()
{
    return mode_ == Mode::text ? next_in_text() : next_in_tag();
}

Token Lexer::take(Type type, std::size_t bytes)
{
    const Token token{type, at_, source_.substr(at_, bytes)};
    at_ += bytes;
    return token;
}

std::size_t Lexer::spaces_end(std::size_t from) const
{
    while (from < source_.size()) {
        const CodePoint c = code_point(source_, from);
        if (!has(c.value, space)) break;
        from += c.bytes;
    }
    return from;
}

std::size_t Lexer::find_tag() const
{
    for (std::size_t open = source_.find('{', at_); open != source_.npos; open = source_.find('{', open + 1)) {
        const char c = byte(open + 1);
        if (c == '{' || c == '%' || c == '#') return open;
    }
    return source_.size();
}

Token Lexer::next_in_text()
{
    while (at_ < source_.size()) {
        if (!at_tag_) {
            const std::size_t open = find_tag();
            std::string_view data = source_.substr(at_, open - at_);
            if (open < source_.size() && byte(open + 2) == '-') data = strip_right(data);
            const std::size_t start = std::exchange(at_, open);
            at_tag_ = true;
            if (!data.empty()) return {Type::data, start, data};
            continue;
        }
        at_tag_ = false;
        if (byte(at_ + 1) == '#') {
            skip_comment();
        } else if (const std::size_t body = raw_body(at_)) {
            if (const Token token = raw_text(body); !token.text.empty()) return token;
        } else {
            return begin_tag();
        }
    }
    return {Type::end, source_.size(), {}};
}

Token Lexer::begin_tag()
{
    const bool variable = byte(at_ + 1) == '{';
    mode_ = variable ? Mode::variable : Mode::block;
    return take(variable ? Type::variable_begin : Type::block_begin, is_sign(byte(at_ + 2)) ? 3 : 2);
}

void Lexer::skip_comment()
{
    const std::size_t open = at_;
    at_ += is_sign(byte(at_ + 2)) ? 3 : 2;
    const std::size_t end = source_.find("#}", at_);
    if (end == source_.npos) {
        if (at_ < source_.size()) fail(open, "this comment is not closed: #} is missing");
        return;
    }
    const bool strips = end > at_ && source_[end - 1] == '-';
    at_ = strips ? spaces_end(end + 2) : end + 2;
}

/// Where the text behind {% raw %} begins; 0: the tag that begins here is another one.
std::size_t Lexer::raw_body(std::size_t open) const
{
    if (byte(open + 1) != '%') return 0;
    std::size_t at = spaces_end(open + (is_sign(byte(open + 2)) ? 3 : 2));
    if (!source_.substr(at).starts_with("raw")) return 0;
    at = spaces_end(at + 3);
    if (source_.substr(at).starts_with("-%}")) return spaces_end(at + 3);
    return source_.substr(at).starts_with("%}") ? at + 2 : 0;
}

Token Lexer::raw_text(std::size_t body)
{
    const std::size_t raw = std::exchange(at_, body);
    for (std::size_t open = source_.find("{%", body); open != source_.npos; open = source_.find("{%", open + 2)) {
        std::size_t at = spaces_end(open + (is_sign(byte(open + 2)) ? 3 : 2));
        if (!source_.substr(at).starts_with("endraw")) continue;
        at = spaces_end(at + 6);
        const bool signed_end = is_sign(byte(at)) && source_.substr(at + 1).starts_with("%}");
        if (!signed_end && !source_.substr(at).starts_with("%}")) continue;
        std::string_view text = source_.substr(body, open - body);
        if (byte(open + 2) == '-') text = strip_right(text);
        at_ = signed_end ? at + 3 : at + 2;
        if (signed_end && byte(at) == '-') at_ = spaces_end(at_);
        return {Type::data, body, text};
    }
    if (body < source_.size()) fail(raw, "this raw is not closed: {% endraw %} is missing");
    return {Type::data, body, {}};
}

/// Bytes of the end of a tag that stands here; 0: none does.
std::size_t Lexer::tag_end() const
{
    if (!open_.empty() || whole_expression_) return 0;
    const std::string_view rest = source_.substr(at_);
    const std::string_view end = mode_ == Mode::block ? "%}" : "}}";
    if (rest.starts_with(end)) return 2;
    if (rest.substr(std::min<std::size_t>(1, rest.size())).starts_with(end)) {
        if (rest[0] == '-') return spaces_end(at_ + 3) - at_;
        if (rest[0] == '+' && mode_ == Mode::block) return 3;
    }
    return 0;
}

Token Lexer::next_in_tag()
{
    at_ = spaces_end(at_);
    if (at_ >= source_.size()) return {Type::end, source_.size(), {}};
    if (const std::size_t bytes = tag_end()) {
        const Type type = mode_ == Mode::block ? Type::block_end : Type::variable_end;
        mode_ = Mode::text;
        return take(type, bytes);
    }
    const char c = source_[at_];
    if (is_digit(c)) return number_token();
    if (c == '\'' || c == '"') return text_token();
    if (is_name_character(code_point(source_, at_))) return name_token();
    return operator_token();
}

Token Lexer::operator_token()
{
    for (const OperatorSign& op : kOperators) {
        if (!source_.substr(at_).starts_with(op.sign)) continue;
        const Token token = take(op.type, op.sign.size());
        keep_balance(token);
        return token;
    }
    fail(at_, "a " + in_quotes(source_.substr(at_, code_point(source_, at_).bytes)) + " means nothing here");
}

/// A tag does not end within brackets: `{{ {'a': {}} }}`.
void Lexer::keep_balance(const Token& token)
{
    switch (token.type) {
    case Type::lbrace: open_.push_back('}'); return;
    case Type::lparen: open_.push_back(')'); return;
    case Type::lbracket: open_.push_back(']'); return;
    case Type::rbrace:
    case Type::rparen:
    case Type::rbracket: break;
    default: return;
    }
    if (open_.empty()) fail(token.at, fmt::format("a {} closes nothing", token.text));
    if (open_.back() != token.text[0])
        fail(token.at, fmt::format("a {} is expected here, not a {}", open_.back(), token.text));
    open_.pop_back();
}

/// Behind digits, which single underscores may divide.
std::size_t Lexer::digits_end(std::size_t from) const
{
    while (is_digit(byte(from))) {
        ++from;
        if (byte(from) == '_' && is_digit(byte(from + 1))) ++from;
    }
    return from;
}

std::size_t Lexer::integer_end() const
{
    const char base = cadre::lower(byte(at_ + 1));
    if (byte(at_) == '0' && (base == 'b' || base == 'o' || base == 'x')) {
        std::size_t end = at_ + 2;
        for (;;) {
            const std::size_t digit = byte(end) == '_' ? end + 1 : end;
            if (!is_base_digit(byte(digit), base)) break;
            end = digit + 1;
        }
        if (end > at_ + 2) return end;
    }
    if (byte(at_) != '0') return digits_end(at_);
    std::size_t end = at_ + 1;
    while (byte(end) == '0' || (byte(end) == '_' && byte(end + 1) == '0')) end += byte(end) == '0' ? 1 : 2;
    return end;
}

Token Lexer::number_token()
{
    const bool behind_dot = at_ > 0 && source_[at_ - 1] == '.';  // `a.1.2` is two subscripts
    std::size_t end = digits_end(at_);
    bool floating = false;
    if (byte(end) == '.' && is_digit(byte(end + 1))) {
        end = digits_end(end + 1);
        floating = true;
    }
    if (cadre::lower(byte(end)) == 'e') {
        const std::size_t digits = is_sign(byte(end + 1)) ? end + 2 : end + 1;
        if (is_digit(byte(digits))) {
            end = digits_end(digits);
            floating = true;
        }
    }
    if (floating && !behind_dot) return take(Type::number, end - at_);
    return take(Type::integer, integer_end() - at_);
}

Token Lexer::name_token()
{
    std::size_t end = at_;
    bool good = true;
    while (end < source_.size()) {
        const CodePoint c = code_point(source_, end);
        if (!is_name_character(c)) break;
        good = good && (has(c.value, end == at_ ? name_start : name_part));
        end += c.bytes;
    }
    if (!good) fail(at_, in_quotes(source_.substr(at_, end - at_)) + " is not a name");
    return take(Type::name, end - at_);
}

Token Lexer::text_token()
{
    const char quote = source_[at_];
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
    if (end >= source_.size()) fail(at_, fmt::format("this text is not closed: {} is missing", quote));
    return take(Type::text, end + 1 - at_);
}

std::string described(const Token& token)
{
    switch (token.type) {
    case Type::end: return "the end";
    case Type::data: return "text";
    case Type::block_end:
    case Type::variable_end: return "the end of the tag";
    default: return in_quotes(token.text);
    }
}

}  // namespace cadre::text::tpl
