#include "tools/builtin/calculator.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "tools/builtin/builtin_tool.hpp"
#include "tools/builtin/number.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace cadre::tools {

namespace {

constexpr std::size_t kMaxLength = 1000;
constexpr std::size_t kMaxDepth = 100;

using Values = std::vector<Number>;

struct Function {
    std::string_view name;
    std::size_t least, most;  // values that it takes
    Number (*apply)(const Values&);
};

constexpr std::size_t kAnyNumber = kMaxLength;

constexpr Function kFunctions[] = {
    {"sqrt", 1, 1, [](const Values& v) { return v[0].root(); }},
    {"abs", 1, 1, [](const Values& v) { return v[0].absolute(); }},
    {"min", 1, kAnyNumber, [](const Values& v) { return *std::min_element(v.begin(), v.end()); }},
    {"max", 1, kAnyNumber, [](const Values& v) { return *std::max_element(v.begin(), v.end()); }},
    {"round", 1, 1, [](const Values& v) { return v[0].rounded(std::round); }},
    {"floor", 1, 1, [](const Values& v) { return v[0].rounded(std::floor); }},
    {"ceil", 1, 1, [](const Values& v) { return v[0].rounded(std::ceil); }},
};

struct Constant {
    std::string_view name;
    double value;
};

constexpr Constant kConstants[] = {{"pi", std::numbers::pi}, {"e", std::numbers::e}};

template <class Table>
auto find(const Table& table, std::string_view name)
{
    const auto place = std::ranges::find(table, name, [](const auto& entry) { return entry.name; });
    return place == std::end(table) ? nullptr : &*place;
}

std::string known_names()
{
    std::string names;
    for (const Function& function : kFunctions) names += std::string(function.name) + ", ";
    for (const Constant& constant : kConstants)
        names += std::string(constant.name) + (&constant == std::end(kConstants) - 1 ? "" : ", ");
    return names;
}

bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Recursive descent, no deeper than kMaxDepth:
///     sum = product {(+|-) product}        product = signed {(*|/|%) signed}
///     signed = (+|-) signed | power        power = primary [(^|**) signed]
///     primary = number | constant | function(sum, …) | (sum)
class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Number whole()
    {
        const Number value = sum();
        if (!at_end()) unexpected();
        return value;
    }

private:
    Number sum()
    {
        Number value = product();
        for (;;) {
            if (take('+')) value = value + product();
            else if (take('-')) value = value - product();
            else return value;
        }
    }

    Number product()
    {
        Number value = with_sign();
        for (;;) {
            if (peek() == '*' && !at_power()) {
                ++at_;
                value = value * with_sign();
            } else if (take('/')) {
                value = value / with_sign();
            } else if (take('%')) {
                value = value % with_sign();
            } else {
                return value;
            }
        }
    }

    /// Every way deeper leads through here.
    Number with_sign()
    {
        if (++depth_ > kMaxDepth)
            fail(fmt::format("The expression is nested deeper than {} levels; calculate it in parts", kMaxDepth));
        const Number value = take('-') ? -with_sign() : take('+') ? with_sign() : power();
        --depth_;
        return value;
    }

    Number power()
    {
        const Number base = primary();
        if (!at_power()) return base;
        at_ += text_[at_] == '^' ? 1 : 2;
        return base.to_the(with_sign());
    }

    Number primary()
    {
        const char c = peek();
        if (take('(')) {
            const Number value = sum();
            close();
            return value;
        }
        if (is_name_character(c)) return named();
        if (is_digit(c) || c == '.') return number();
        unexpected();
    }

    Number number()
    {
        const std::size_t start = at_;
        digits();
        if (here() == '.') {
            ++at_;
            digits();
        }
        if (at_ - start == 1 && text_[start] == '.') {
            at_ = start;
            unexpected();
        }
        // `2e` is no exponent: a sign and a digit must follow
        const std::size_t sign = here(1) == '+' || here(1) == '-' ? 1 : 0;
        if (lower(here()) == 'e' && is_digit(here(1 + sign))) {
            at_ += 1 + sign;
            digits();
        }
        return Number::from_text(text_.substr(start, at_ - start));
    }

    Number named()
    {
        const std::size_t start = at_;
        std::string name;
        while (is_name_character(here()) || is_digit(here())) name += lower(text_[at_++]);
        if (const Function* function = find(kFunctions, name)) return call(*function);
        if (const Constant* constant = find(kConstants, name)) return Number::real(constant->value);
        at_ = start;
        fail(fmt::format("{} is not known; there are {}", in_quotes(name), known_names()));
    }

    Number call(const Function& function)
    {
        if (!take('(')) fail(fmt::format("{} needs parentheses, like {}(2)", function.name, function.name));
        Values values{sum()};
        while (take(',')) values.push_back(sum());
        close();
        if (values.size() < function.least || values.size() > function.most)
            fail(fmt::format("{} takes {} value, not {}", function.name, function.least, values.size()));
        return function.apply(values);
    }

    void close()
    {
        if (take(')')) return;
        if (at_end()) fail("A parenthesis is not closed");
        unexpected();
    }

    char here(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    /// The next character that is no blank, which is not taken.
    char peek()
    {
        while (here() == ' ' || here() == '\t' || here() == '\n' || here() == '\r') ++at_;
        return here();
    }
    bool take(char c)
    {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    bool at_end()  // not peek() == 0, which a text can hold
    {
        peek();
        return at_ >= text_.size();
    }
    bool at_power() { return peek() == '^' || (peek() == '*' && here(1) == '*'); }
    void digits()
    {
        while (is_digit(here())) ++at_;
    }

    [[noreturn]] void unexpected()
    {
        if (at_end()) fail("The expression ends too early");
        const char c = here();
        const std::size_t length = std::max<std::size_t>(1, utf8_length(text_.substr(at_)));
        std::string_view hint;
        if (c == ',') hint = "; write numbers without separators, and several values only in min() and max()";
        else if (is_name_character(c) || is_digit(c) || c == '(') hint = "; write * between things that are multiplied";
        fail(fmt::format("{} cannot stand here{}", in_quotes(text_.substr(at_, length)), hint));
    }

    [[noreturn]] void fail(const std::string& what) const
    {
        const auto before = text_.substr(0, at_);
        const auto characters =
            std::ranges::count_if(before, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
        throw Error(Code::invalid, fmt::format("{} (at character {}).", what, characters + 1));
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t depth_ = 0;
};

}  // namespace

std::string calculate(std::string_view expression)
{
    if (expression.size() > kMaxLength)
        throw Error(Code::invalid,
                    fmt::format("The expression has {} characters; at most {} are allowed. Calculate it in parts.",
                                expression.size(), kMaxLength));
    return Parser(expression).whole().text();
}

std::shared_ptr<Tool> calculator_tool()
{
    model::Tool definition{
        .name = "calculator",
        .description = "Calculates an arithmetic expression, like (17.5 + 2) * 3, and gives the number.",
        .input_schema = object_schema(
            {{"expression",
              {{"type", "string"},
               {"minLength", 1},
               {"maxLength", kMaxLength},
               {"description", "Numbers, + - * / % ^, parentheses, sqrt abs min max round floor ceil, pi and e."}}}}),
        .effect = model::Effect::pure};
    return std::make_shared<BuiltinTool>(std::move(definition), BuiltinTool::Where::loop, [](const Call& call) {
        return Result{.text = calculate(call.arguments.at("expression").as_string())};
    });
}

}  // namespace cadre::tools
