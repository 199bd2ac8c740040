#include "text/template/expression_parser.hpp"

#include "base/error.hpp"
#include "text/template/bodies.hpp"
#include "text/template/meter.hpp"
#include "text/template/numbers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

namespace cadre::text::tpl {
namespace {

/// What stands between operands: one item is itself.
Expr joined(Expr::Kind kind, std::size_t at, std::vector<Expr> items)
{
    if (items.size() == 1) return std::move(items[0]);
    Expr expr(kind, at);
    expr.items = std::move(items);
    return expr;
}

Expr wrapped(Expr::Kind kind, std::size_t at, Expr inner)
{
    Expr expr(kind, at);
    expr.items.push_back(std::move(inner));
    return expr;
}

Expr constant(std::size_t at, Value value)
{
    Expr expr(Expr::Kind::constant, at);
    expr.constant = std::move(value);
    return expr;
}

std::optional<Comparison> comparison_of(Token::Type type)
{
    switch (type) {
    case Token::Type::eq: return Comparison::equal;
    case Token::Type::ne: return Comparison::not_equal;
    case Token::Type::lt: return Comparison::less;
    case Token::Type::lteq: return Comparison::less_equal;
    case Token::Type::gt: return Comparison::greater;
    case Token::Type::gteq: return Comparison::greater_equal;
    default: return std::nullopt;
    }
}

bool is_unhashable_literal(const Expr& expr)
{
    if (expr.kind == Expr::Kind::tuple) return std::ranges::any_of(expr.items, is_unhashable_literal);
    return expr.kind == Expr::Kind::list || expr.kind == Expr::Kind::dict;
}

bool all_constant(const std::vector<Expr>& items)
{
    return std::ranges::all_of(items, is_constant);
}

}  // namespace

NameId NameTable::id(std::string_view name)
{
    const auto [found, is_new] = ids_.try_emplace(std::string(name), static_cast<NameId>(program_.names.size()));
    if (is_new) program_.names.push_back({.text = std::string(name)});
    return found->second;
}

Expr unchained(Expr chain)
{
    if (chain.items.size() > 1) return chain;
    Expr only = std::move(chain.items[0]);
    return only;
}

ExpressionParser::ExpressionParser(const Unit& unit, NameTable& names, Lexer::Mode mode)
    : unit_(unit), names_(names), lexer_(unit, mode)
{
    current_ = lexer_.next();
}

ExpressionParser::Level::Level(ExpressionParser& parser) : parser_(parser)
{
    if (++parser_.depth_ <= kMaxNesting) return;
    const std::size_t at = parser_.current_.at;
    --parser_.depth_;
    throw parser_.unit_.error(Code::limit, at, fmt::format("this is nested more than {} deep", kMaxNesting));
}

const Token& ExpressionParser::ahead()
{
    if (!ahead_) ahead_ = lexer_.next();
    return *ahead_;
}

Token ExpressionParser::advance()
{
    Token token = current_;
    current_ = ahead_ ? *std::exchange(ahead_, std::nullopt) : lexer_.next();
    return token;
}

bool ExpressionParser::skip(Type type)
{
    if (!current_.is(type)) return false;
    advance();
    return true;
}

bool ExpressionParser::skip_word(std::string_view word)
{
    if (!current_.is_name(word)) return false;
    advance();
    return true;
}

Token ExpressionParser::expect(Type type, std::string_view what)
{
    if (!current_.is(type)) fail(current_.at, fmt::format("{} is expected here, not {}", what, described(current_)));
    return advance();
}

void ExpressionParser::expect_end()
{
    expect(Type::end, "the end");
}

bool ExpressionParser::is_set_here(NameId id) const
{
    return std::ranges::any_of(scopes_, [&](const auto& scope) { return std::ranges::find(scope, id) != scope.end(); });
}

Expr ExpressionParser::parse_expression(bool with_condition)
{
    const Level level(*this);
    return with_condition ? parse_condition() : parse_or();
}

Expr ExpressionParser::parse_condition()
{
    Expr value = parse_or();
    while (current_.is_name("if")) {
        Expr expr(Expr::Kind::conditional, advance().at);
        expr.items.push_back(std::move(value));
        expr.items.push_back(parse_or());
        if (skip_word("else")) expr.items.push_back(parse_expression());
        value = std::move(expr);
    }
    return value;
}

Expr ExpressionParser::parse_or()
{
    const std::size_t at = current_.at;
    std::vector<Expr> items;
    do items.push_back(parse_and());
    while (skip_word("or"));
    return joined(Expr::Kind::disjunction, at, std::move(items));
}

Expr ExpressionParser::parse_and()
{
    const std::size_t at = current_.at;
    std::vector<Expr> items;
    do items.push_back(parse_not());
    while (skip_word("and"));
    return joined(Expr::Kind::conjunction, at, std::move(items));
}

Expr ExpressionParser::parse_not()
{
    if (!current_.is_name("not")) return parse_comparison();
    const Level level(*this);
    const std::size_t at = advance().at;
    return wrapped(Expr::Kind::negation, at, parse_not());
}

Expr ExpressionParser::parse_comparison()
{
    Expr first = parse_sum();
    Expr expr(Expr::Kind::comparison, current_.at);
    for (;;) {
        if (const auto comparison = comparison_of(current_.type)) {
            advance();
            expr.comparisons.push_back(*comparison);
        } else if (skip_word("in")) {
            expr.comparisons.push_back(Comparison::in);
        } else if (current_.is_name("not") && ahead().is_name("in")) {
            advance();
            advance();
            expr.comparisons.push_back(Comparison::not_in);
        } else {
            break;
        }
        if (expr.items.empty()) expr.items.push_back(std::move(first));
        expr.items.push_back(parse_sum());
    }
    return expr.items.empty() ? std::move(first) : std::move(expr);
}

template <class Operand>
Expr ExpressionParser::parse_operators(Operand operand, std::initializer_list<std::pair<Type, Operator>> operators)
{
    Expr first = operand();
    Expr expr(Expr::Kind::arithmetic, current_.at);
    for (;;) {
        const auto found = std::ranges::find(operators, current_.type, &std::pair<Type, Operator>::first);
        if (found == operators.end()) break;
        advance();
        expr.operators.push_back(found->second);
        if (expr.items.empty()) expr.items.push_back(std::move(first));
        expr.items.push_back(operand());
    }
    return expr.items.empty() ? std::move(first) : std::move(expr);
}

Expr ExpressionParser::parse_sum()
{
    return parse_operators([this] { return parse_concat(); },
                           {{Type::add, Operator::add}, {Type::sub, Operator::subtract}});
}

Expr ExpressionParser::parse_concat()
{
    const std::size_t at = current_.at;
    std::vector<Expr> items;
    do items.push_back(parse_product());
    while (skip(Type::tilde));
    return joined(Expr::Kind::concat, at, std::move(items));
}

Expr ExpressionParser::parse_product()
{
    return parse_operators([this] { return parse_power(); }, {{Type::mul, Operator::multiply},
                                                              {Type::div, Operator::divide},
                                                              {Type::floordiv, Operator::floor_divide},
                                                              {Type::mod, Operator::modulo}});
}

/// From left to right, and `-2` is the base in `-2 ** 2`. Not so in `-2 ** x`: there Jinja writes the constant it has worked out
/// into Python code, where the power comes first. We are held against Jinja, so `id` says behind which operand that happens.
Expr ExpressionParser::parse_power()
{
    Expr expr = parse_operators([this] { return parse_unary(true); }, {{Type::pow, Operator::power}});
    if (expr.kind != Expr::Kind::arithmetic || expr.operators.empty() || expr.operators[0] != Operator::power)
        return expr;
    const auto changing = std::ranges::find_if_not(expr.items, is_constant);
    if (changing != expr.items.end()) expr.id = static_cast<NameId>(changing - expr.items.begin());
    return expr;
}

Expr ExpressionParser::parse_unary(bool with_filters)
{
    Expr chain(Expr::Kind::chain, current_.at);
    if (current_.is(Type::sub) || current_.is(Type::add)) {
        const Level level(*this);
        const Token sign = advance();
        chain.items.push_back(
            wrapped(sign.is(Type::sub) ? Expr::Kind::negate : Expr::Kind::plus, sign.at, parse_unary(false)));
    } else {
        chain.items.push_back(parse_primary());
    }
    parse_postfix(chain);
    if (with_filters) parse_filter_steps(chain);
    return unchained(std::move(chain));
}

Expr ExpressionParser::parse_primary()
{
    switch (current_.type) {
    case Type::name: return parse_name();
    case Type::text: return parse_text();
    case Type::integer: return parse_integer();
    case Type::number: {
        std::string digits(current_.text);
        std::erase(digits, '_');
        return constant(advance().at, std::strtod(digits.c_str(), nullptr));
    }
    case Type::lparen: {
        advance();
        Expr inner = parse_tuple(true, true);
        expect(Type::rparen, ")");
        return inner;
    }
    case Type::lbracket: return parse_list();
    case Type::lbrace: return parse_dict();
    default: fail(current_.at, fmt::format("a value is expected here, not {}", described(current_)));
    }
}

Expr ExpressionParser::parse_name()
{
    const Token token = advance();
    if (token.text == "true" || token.text == "True") return constant(token.at, true);
    if (token.text == "false" || token.text == "False") return constant(token.at, false);
    if (token.text == "none" || token.text == "None") return constant(token.at, nullptr);
    Expr expr(Expr::Kind::name, token.at);
    expr.name = token.text;
    expr.id = names_.id(token.text);
    if (token.text == "loop") ++loop_mentions_;
    if (!is_set_here(expr.id)) used_.push_back({expr.id, expr.at});
    return expr;
}

Expr ExpressionParser::parse_text()
{
    const std::size_t at = current_.at;
    std::string all;
    while (current_.is(Type::text)) {
        std::string part;
        std::string why;
        if (!unquoted(current_.text.substr(1, current_.text.size() - 2), part, why)) fail(current_.at, why);
        all += part;
        advance();
    }
    return constant(at, Value(std::move(all)));
}

Expr ExpressionParser::parse_integer()
{
    const Token token = advance();
    try {
        std::string digits(token.text);
        std::erase(digits, '_');
        return constant(token.at, *parse_int(digits, 0));
    } catch (const Error& error) {
        fail(token.at, error.what());
    }
}

Expr ExpressionParser::parse_tuple(bool with_condition, bool in_parentheses)
{
    Expr tuple(Expr::Kind::tuple, current_.at);
    bool is_tuple = false;
    while (!current_.is(Type::variable_end) && !current_.is(Type::block_end) && !current_.is(Type::rparen)) {
        tuple.items.push_back(parse_expression(with_condition));
        if (!skip(Type::comma)) break;
        is_tuple = true;
    }
    if (is_tuple || (tuple.items.empty() && in_parentheses)) return tuple;
    if (tuple.items.empty()) fail(current_.at, fmt::format("a value is expected here, not {}", described(current_)));
    Expr only = std::move(tuple.items[0]);
    return only;
}

Expr ExpressionParser::parse_list()
{
    Expr list(Expr::Kind::list, advance().at);
    while (!current_.is(Type::rbracket)) {
        if (!list.items.empty()) expect(Type::comma, "a comma");
        if (current_.is(Type::rbracket)) break;
        list.items.push_back(parse_expression());
    }
    advance();
    return list;
}

Expr ExpressionParser::parse_dict()
{
    Expr dict(Expr::Kind::dict, advance().at);
    while (!current_.is(Type::rbrace)) {
        if (!dict.items.empty()) expect(Type::comma, "a comma");
        if (current_.is(Type::rbrace)) break;
        dict.items.push_back(parse_expression());
        expect(Type::colon, "a colon");
        dict.items.push_back(parse_expression());
    }
    advance();
    check_keys(dict);
    return dict;
}

/// What can be worked out beforehand Jinja works out, and refuses a key that cannot be one, wherever it stands. It gives up at the first
/// entry that it does not know yet.
void ExpressionParser::check_keys(const Expr& dict) const
{
    for (std::size_t i = 0; i < dict.items.size(); i += 2) {
        if (!is_constant(dict.items[i]) || !is_constant(dict.items[i + 1])) return;
        if (is_unhashable_literal(dict.items[i])) fail(dict.items[i].at, "a list or a dict cannot be a key");
    }
}

bool is_constant(const Expr& expr)
{
    switch (expr.kind) {
    case Expr::Kind::constant: return true;
    case Expr::Kind::name:
    case Expr::Kind::call: return false;
    case Expr::Kind::filter:
        if (expr.name == "map" || expr.name.starts_with("select") || expr.name.starts_with("reject")) return false;
        break;
    default: break;
    }
    if (!all_constant(expr.items)) return false;
    const CallArguments* arguments = expr.arguments.get();
    return !arguments || (all_constant(arguments->positional) && all_constant(arguments->named) &&
                          all_constant(arguments->list) && all_constant(arguments->dictionary));
}

}  // namespace cadre::text::tpl
