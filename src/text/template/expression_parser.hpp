// Expressions, as Jinja's grammar has them; and what parsing a template shares with it.
#pragma once

#include "text/template/lexer.hpp"
#include "text/template/syntax.hpp"

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cadre::text::tpl {

/// The names of a program, and which of them a template's own statements have set where it is being read.
class NameTable {
public:
    explicit NameTable(Program& program) : program_(program) {}
    NameId id(std::string_view name);
    const std::string& text(NameId id) const { return program_.names[id].text; }
    void assigned(NameId id) { program_.names[id].assigned = true; }

private:
    Program& program_;
    std::unordered_map<std::string, NameId> ids_{};
};

struct NameAt {
    NameId id;
    std::uint32_t at;
};

class ExpressionParser {
public:
    ExpressionParser(const Unit& unit, NameTable& names, Lexer::Mode mode);

    Expr parse_expression(bool with_condition = true);
    void expect_end();
    std::vector<NameAt> take_used() { return std::move(used_); }

protected:
    using Type = Token::Type;

    Expr parse_tuple(bool with_condition = true, bool in_parentheses = false);
    Expr parse_primary();
    /// `|name(…)|name` behind nothing: what a block's text goes through.
    Expr parse_filters(bool starts_with_name);

    const Token& current() const { return current_; }
    const Token& ahead();
    Token advance();
    bool skip(Type type);
    bool skip_word(std::string_view word);
    Token expect(Type type, std::string_view what);
    [[noreturn]] void fail(std::size_t at, std::string reason) const
    {
        throw unit_.error(Code::invalid, at, std::move(reason));
    }

    /// One level deeper, until it is gone.
    class Level {
    public:
        explicit Level(ExpressionParser& parser);
        ~Level() { --parser_.depth_; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;

    private:
        ExpressionParser& parser_;
    };

    bool is_set_here(NameId id) const;

    const Unit& unit_;
    NameTable& names_;
    std::vector<std::vector<NameId>> scopes_{1};
    std::vector<NameAt> used_{};     // names that no statement has set before
    std::size_t loop_mentions_ = 0;  // how often `loop` has been said

private:
    Expr parse_condition();
    Expr parse_or();
    Expr parse_and();
    Expr parse_not();
    Expr parse_comparison();
    Expr parse_sum();
    Expr parse_concat();
    Expr parse_product();
    Expr parse_power();
    Expr parse_unary(bool with_filters);
    Expr parse_name();
    Expr parse_text();
    Expr parse_integer();
    Expr parse_list();
    Expr parse_dict();
    void check_keys(const Expr& dict) const;
    void parse_postfix(Expr& chain);
    void parse_filter_steps(Expr& chain);
    Expr parse_subscript();
    Expr parse_subscribed(std::size_t at);
    Expr parse_call();
    Expr parse_filter();
    Expr parse_test();
    std::string parse_dotted_name();
    std::unique_ptr<CallArguments> parse_arguments();
    void parse_argument(CallArguments& arguments);
    Expr parse_test_argument();
    void check_first_argument(const Expr& step);
    template <class Operand>
    Expr parse_operators(Operand operand, std::initializer_list<std::pair<Type, Operator>> operators);

    Lexer lexer_;
    Token current_{};
    std::optional<Token> ahead_{};
    std::size_t depth_ = 0;
};

/// A chain's first item with nothing behind it is no chain.
Expr unchained(Expr chain);
/// Whether Jinja would work it out while it compiles.
bool is_constant(const Expr& expr);

}  // namespace cadre::text::tpl
