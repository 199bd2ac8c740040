#include "base/error.hpp"
#include "text/template/attributes.hpp"
#include "text/template/bodies.hpp"
#include "text/template/compare.hpp"
#include "text/template/filters.hpp"
#include "text/template/iterate.hpp"
#include "text/template/meter.hpp"
#include "text/template/numbers.hpp"
#include "text/template/operators.hpp"

#include <fmt/core.h>

#include <cmath>

namespace cadre::text::tpl {
namespace {

void expect_number(const Value& value)
{
    if (is_undefined(value)) fail_undefined(value);
    if (!is_number(value)) throw Error(Code::invalid, fmt::format("needs a number, not a {}", type_name(value)));
}

Value filter_abs(const Value& value, const Arguments& arguments, Meter&)
{
    arguments.expect_none();
    expect_number(value);
    if (value.is(Kind::number)) return std::fabs(value.number());
    return integral(value) < 0 ? negated(value) : Value(integral(value));
}

/// float(value), or nothing where Python refuses.
std::optional<double> find_float(const Value& value)
{
    if (is_undefined(value)) fail_undefined(value);
    if (is_number(value)) return as_double(value);
    return is_text(value) ? parse_float(value.text()) : std::nullopt;
}

Value filter_float(const Value& value, const Arguments& arguments, Meter& meter)
{
    const auto [missing] = arguments.bind({"default"}, 0);
    if (is_text(value)) meter.charge_bytes(value.text().size());
    if (const auto number = find_float(value)) return *number;
    return missing ? *missing : Value(0.0);
}

Value filter_int(const Value& value, const Arguments& arguments, Meter& meter)
{
    const auto [missing, base] = arguments.bind({"default", "base"}, 0);
    if (is_undefined(value)) fail_undefined(value);
    if (is_integral(value)) return integral(value);
    if (is_text(value)) {
        meter.charge_bytes(value.text().size());
        if (!base || is_integral(*base))
            if (const auto number = parse_int(value.text(), base ? integral(*base) : 10)) return *number;
    }
    if (const auto number = find_float(value))  // "42.23" is 42
        if (const auto whole = truncated(*number)) return *whole;
    return missing ? *missing : Value(0);
}

/// math.ceil(value * 10**precision) / 10**precision, or with floor.
Value rounded_one_way(const Value& value, const Value& precision, bool up, Meter& meter)
{
    const Value power = apply(Operator::power, Value(10), precision, meter);
    const Value scaled = apply(Operator::multiply, value, power, meter);
    if (scaled.is(Kind::integer)) return apply(Operator::divide, scaled, power, meter);
    const double number = scaled.number();
    if (!std::isfinite(number)) throw Error(Code::invalid, "infinities and NaN cannot be rounded to a whole number");
    const double whole = up ? std::ceil(number) : std::floor(number);
    if (std::fabs(whole) < 0x1p63)
        return apply(Operator::divide, Value(static_cast<std::int64_t>(whole)), power, meter);
    return whole / as_double(power);
}

Value filter_round(const Value& value, const Arguments& arguments, Meter& meter)
{
    const auto [precision, method] = arguments.bind({"precision", "method"}, 0);
    const std::string way = !method ? "common" : is_text(*method) ? method->text() : "";
    if (way != "common" && way != "ceil" && way != "floor")
        throw Error(Code::invalid, R"(its method is "common", "ceil" or "floor")");
    expect_number(value);
    const bool to_integer = precision && precision->is(Kind::null);
    const Value digits = precision ? *precision : Value(0);
    if (way != "common") {
        expect_number(digits);
        return rounded_one_way(value, digits, way == "ceil", meter);
    }
    if (to_integer) {
        if (is_integral(value)) return integral(value);
        const auto whole = truncated(std::nearbyint(value.number()));
        if (!whole) throw Error(Code::invalid, "NaN cannot be rounded to a whole number");
        return *whole;
    }
    if (is_undefined(digits)) fail_undefined(digits);
    if (!is_integral(digits))
        throw Error(Code::invalid, fmt::format("its precision is an integer, not a {}", type_name(digits)));
    return is_integral(value) ? Value(rounded(integral(value), integral(digits)))
                              : Value(rounded(value.number(), integral(digits)));
}

Value filter_sum(const Value& value, const Arguments& arguments, Meter& meter)
{
    const auto [attribute, start] = arguments.bind({"attribute", "start"}, 0);
    const AttributePath path(attribute);
    Value sum = start ? *start : Value(0);
    if (is_text(sum)) throw Error(Code::invalid, "texts are put together with join, not with sum");
    Iteration items(value, meter);
    for (Value item; items.next(item);) sum = apply(Operator::add, sum, path.get(item, meter), meter);
    return sum;
}

template <Order Better>
Value filter_best(const Value& value, const Arguments& arguments, Meter& meter)
{
    const auto [case_sensitive, attribute] = arguments.bind({"case_sensitive", "attribute"}, 0);
    Iteration items(value, meter);
    Value best;
    if (!items.next(best)) return undefined_of("an empty list has neither a smallest nor a largest item");
    const bool keep_case = case_sensitive && truth(*case_sensitive);
    const AttributePath path(attribute);
    const auto key_of = [&](const Value& item) {
        const Value key = path.get(item, meter);
        return keep_case ? key : without_case(key, meter);
    };
    Value best_key = key_of(best);
    for (Value item; items.next(item);) {
        Value key = key_of(item);
        if (!ordered(Better, key, best_key, meter)) continue;
        best = item;
        best_key = std::move(key);
    }
    return best;
}

}  // namespace

const std::vector<Filter>& number_filters()
{
    static const std::vector<Filter> filters = {
        {"abs", filter_abs},
        {"float", filter_float},
        {"int", filter_int},
        {"max", filter_best<Order::greater>},
        {"min", filter_best<Order::less>},
        {"round", filter_round},
        {"sum", filter_sum},
    };
    return filters;
}

}  // namespace cadre::text::tpl
