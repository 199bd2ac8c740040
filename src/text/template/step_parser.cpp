#include "text/template/expression_parser.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "text/template/bodies.hpp"
#include "text/template/filters.hpp"
#include "text/template/numbers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>

// Steps: what stands behind a value and makes another one of it.
namespace cadre::text::tpl {
namespace {

constexpr std::string_view kJinjasFilters[] = {"attr",   "center", "count", "e",      "filesizeformat", "forceescape",
                                               "pprint", "random", "safe",  "urlize", "xmlattr"};
constexpr std::string_view kJinjasTests[] = {"callable", "equalto",     "escaped",  "false", "filter",
                                             "float",    "greaterthan", "lessthan", "lower", "sameas",
                                             "test",     "true",        "upper"};

std::string unknown(std::string_view what, std::string_view name, const std::vector<std::string>& known)
{
    using Names = std::span<const std::string_view>;
    const Names jinjas = what == "filter" ? Names(kJinjasFilters) : Names(kJinjasTests);
    if (std::ranges::find(jinjas, name) != jinjas.end())
        return fmt::format("{} is a {} of Jinja that is not part of this language", in_quotes(name), what);
    const auto near = nearest(name, known);
    return fmt::format("unknown {} {}{}", what, in_quotes(name),
                       near ? ", did you mean " + in_quotes(*near) + "?" : "");
}

Expr no_bound(std::size_t at)
{
    return Expr(Expr::Kind::constant, at);
}

}  // namespace

void ExpressionParser::parse_postfix(Expr& chain)
{
    for (;;) {
        if (current_.is(Type::dot) || current_.is(Type::lbracket)) chain.items.push_back(parse_subscript());
        else if (current_.is(Type::lparen)) chain.items.push_back(parse_call());
        else return;
    }
}

void ExpressionParser::parse_filter_steps(Expr& chain)
{
    for (;;) {
        if (skip(Type::pipe)) chain.items.push_back(parse_filter());
        else if (current_.is_name("is")) chain.items.push_back(parse_test());
        else if (current_.is(Type::lparen)) chain.items.push_back(parse_call());
        else return;
    }
}

Expr ExpressionParser::parse_filters(bool starts_with_name)
{
    Expr chain(Expr::Kind::chain, current_.at);
    chain.items.push_back(no_bound(current_.at));
    if (starts_with_name) chain.items.push_back(parse_filter());
    while (skip(Type::pipe)) chain.items.push_back(parse_filter());
    return chain;
}

Expr ExpressionParser::parse_subscript()
{
    const Token begin = advance();
    if (begin.is(Type::lbracket)) return parse_subscribed(begin.at);
    if (current_.is(Type::name)) {
        Expr step(Expr::Kind::attribute, current_.at);
        step.name = advance().text;
        return step;
    }
    if (!current_.is(Type::integer))
        fail(current_.at, fmt::format("a name or a number is expected here, not {}", described(current_)));
    Expr step(Expr::Kind::item, current_.at);
    step.items.push_back(parse_integer());
    return step;
}

/// Behind the bracket. Several items are a tuple; slices stand alone.
Expr ExpressionParser::parse_subscribed(std::size_t at)
{
    Expr tuple(Expr::Kind::tuple, at);
    while (!current_.is(Type::rbracket)) {
        if (!tuple.items.empty()) expect(Type::comma, "a comma");
        if (!current_.is(Type::colon)) tuple.items.push_back(parse_expression());
        if (!current_.is(Type::colon)) continue;
        if (tuple.items.size() > 1) fail(current_.at, "a slice stands alone in its brackets");
        Expr slice(Expr::Kind::slice, at);
        slice.items.push_back(tuple.items.empty() ? no_bound(at) : std::move(tuple.items[0]));
        for (int part = 0; part < 2; ++part) {
            const bool given = skip(Type::colon) && !current_.is(Type::colon) && !current_.is(Type::rbracket);
            slice.items.push_back(given ? parse_expression() : no_bound(at));
        }
        expect(Type::rbracket, "]");
        return slice;
    }
    advance();
    Expr step(Expr::Kind::item, at);
    if (tuple.items.size() == 1) step.items = std::move(tuple.items);
    else step.items.push_back(std::move(tuple));
    return step;
}

Expr ExpressionParser::parse_call()
{
    Expr step(Expr::Kind::call, current_.at);
    step.arguments = parse_arguments();
    return step;
}

std::string ExpressionParser::parse_dotted_name()
{
    std::string name(expect(Type::name, "a name").text);
    while (skip(Type::dot)) (name += '.') += expect(Type::name, "a name").text;
    return name;
}

Expr ExpressionParser::parse_filter()
{
    Expr step(Expr::Kind::filter, current_.at);
    step.name = parse_dotted_name();
    step.filter = find_filter(step.name);
    if (!step.filter) fail(step.at, unknown("filter", step.name, filter_names()));
    if (current_.is(Type::lparen)) step.arguments = parse_arguments();
    check_first_argument(step);
    return step;
}

Expr ExpressionParser::parse_test()
{
    advance();
    const bool negative = skip_word("not");
    Expr step(Expr::Kind::test, current_.at);
    step.negative = negative;
    step.name = parse_dotted_name();
    step.test = find_test(step.name);
    if (!step.test) fail(step.at, unknown("test", step.name, test_names()));
    switch (current_.type) {
    case Type::lparen: step.arguments = parse_arguments(); break;
    case Type::name:
        if (current_.is_name("else") || current_.is_name("or") || current_.is_name("and")) break;
        if (current_.is_name("is")) fail(current_.at, "one `is` cannot follow another; put brackets around the first");
        [[fallthrough]];
    case Type::text:
    case Type::integer:
    case Type::number:
    case Type::lbracket:
    case Type::lbrace:
        step.arguments = std::make_unique<CallArguments>();
        step.arguments->positional.push_back(parse_test_argument());
        break;
    default: break;
    }
    return step;
}

/// `x is divisibleby 3`
Expr ExpressionParser::parse_test_argument()
{
    Expr chain(Expr::Kind::chain, current_.at);
    chain.items.push_back(parse_primary());
    parse_postfix(chain);
    return unchained(std::move(chain));
}

std::unique_ptr<CallArguments> ExpressionParser::parse_arguments()
{
    auto arguments = std::make_unique<CallArguments>();
    advance();
    bool first = true;
    while (!current_.is(Type::rparen)) {
        if (!first) expect(Type::comma, "a comma");
        if (current_.is(Type::rparen)) break;
        first = false;
        parse_argument(*arguments);
    }
    advance();
    return arguments;
}

void ExpressionParser::parse_argument(CallArguments& arguments)
{
    const Token begin = current_;
    const bool named_before = !arguments.dictionary.empty();
    if (begin.is(Type::mul) || begin.is(Type::pow)) {
        if (named_before || (begin.is(Type::mul) && !arguments.list.empty()))
            fail(begin.at, "* and ** stand once each, ** last");
        advance();
        (begin.is(Type::mul) ? arguments.list : arguments.dictionary).push_back(parse_expression());
        return;
    }
    if (named_before) fail(begin.at, "nothing follows **");
    if (begin.is(Type::name) && ahead().is(Type::assign)) {
        advance();
        advance();
        if (std::ranges::find(arguments.names, begin.text) != arguments.names.end())
            fail(begin.at, fmt::format("{} is given twice", in_quotes(begin.text)));
        arguments.names.emplace_back(begin.text);
        arguments.named.push_back(parse_expression());
        return;
    }
    if (!arguments.names.empty() || !arguments.list.empty())
        fail(begin.at, "a value without a name stands before those with one");
    arguments.positional.push_back(parse_expression());
}

/// `map('uper')`: a filter or test that is named by a text is looked up here already.
void ExpressionParser::check_first_argument(const Expr& step)
{
    const std::size_t place = step.name == "selectattr" || step.name == "rejectattr" ? 1 : 0;
    const bool takes_test = place == 1 || step.name == "select" || step.name == "reject";
    if (!takes_test && step.name != "map") return;
    if (!step.arguments || step.arguments->positional.size() <= place) return;
    const Expr& argument = step.arguments->positional[place];
    if (argument.kind != Expr::Kind::constant || !is_text(argument.constant)) return;
    const std::string& name = argument.constant.text();
    if (takes_test ? !find_test(name) : !find_filter(name))
        fail(argument.at, takes_test ? unknown("test", name, test_names()) : unknown("filter", name, filter_names()));
}

}  // namespace cadre::text::tpl
