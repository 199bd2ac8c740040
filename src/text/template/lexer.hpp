// A template's source as tokens.
#pragma once

#include "text/template/syntax.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cadre::text::tpl {

struct Token {
    enum class Type : std::uint8_t {
        end,
        data,
        variable_begin,
        variable_end,
        block_begin,
        block_end,
        name,
        text,
        integer,
        number,
        add,
        sub,
        div,
        floordiv,
        mul,
        mod,
        pow,
        tilde,
        lbracket,
        rbracket,
        lparen,
        rparen,
        lbrace,
        rbrace,
        eq,
        ne,
        gt,
        gteq,
        lt,
        lteq,
        assign,
        dot,
        colon,
        pipe,
        comma,
        semicolon,
    };

    Type type = Type::end;
    std::size_t at = 0;
    std::string_view text{};

    bool is(Type other) const { return type == other; }
    bool is_name(std::string_view word) const { return type == Type::name && text == word; }
};

class Lexer {
public:
    enum class Mode { text, variable, block };
    /// The unit must outlive it. An expression begins in Mode::variable.
    Lexer(const Unit& unit, Mode mode)
        : unit_(unit), source_(unit.source), mode_(mode), whole_expression_(mode != Mode::text)
    {}

    Token next();

private:
    using Type = Token::Type;

    Token next_in_text();
    Token begin_tag();
    std::size_t find_tag() const;
    void skip_comment();
    std::size_t raw_body(std::size_t open) const;
    Token raw_text(std::size_t body);
    Token next_in_tag();
    std::size_t tag_end() const;
    Token operator_token();
    Token number_token();
    Token name_token();
    Token text_token();
    Token take(Type type, std::size_t bytes);
    void keep_balance(const Token& token);
    std::size_t digits_end(std::size_t from) const;
    std::size_t integer_end() const;
    std::size_t spaces_end(std::size_t from) const;
    char byte(std::size_t at) const { return at < source_.size() ? source_[at] : '\0'; }
    [[noreturn]] void fail(std::size_t at, std::string reason) const
    {
        throw unit_.error(Code::invalid, at, std::move(reason));
    }

    const Unit& unit_;
    std::string_view source_;
    Mode mode_;
    bool whole_expression_;
    std::size_t at_ = 0;
    bool at_tag_ = false;       // a tag begins here; the text before it has been given
    std::vector<char> open_{};  // the closing brackets that are waited for
};

/// What a quoted text means, without its quotes; nothing is missing of it. `why` says what is wrong when it is.
bool unquoted(std::string_view quoted, std::string& out, std::string& why);

/// How a token is named in messages.
std::string described(const Token& token);

}  // namespace cadre::text::tpl
