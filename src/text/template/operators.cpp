#include "text/template/operators.hpp"

#include "base/error.hpp"
#include "text/template/bodies.hpp"
#include "text/template/compare.hpp"
#include "text/template/html.hpp"
#include "text/template/meter.hpp"
#include "text/template/numbers.hpp"
#include "text/template/percent.hpp"

#include <cmath>
#include <limits>

namespace cadre::text::tpl {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();

[[noreturn]] void fail_operands(Operator op, const Value& left, const Value& right)
{
    static constexpr const char* kSigns[] = {"+", "-", "*", "/", "//", "%", "**"};
    throw Error(Code::invalid, std::string(kSigns[static_cast<int>(op)]) + " does not take a " +
                                   std::string(type_name(left)) + " and a " + std::string(type_name(right)));
}

[[noreturn]] void fail_zero()
{
    throw Error(Code::invalid, "division by zero");
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b)
{
    if (b == 0) fail_zero();
    if (a == kLowest && b == -1) fail_overflow();
    const std::int64_t q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

std::int64_t floor_rest(std::int64_t a, std::int64_t b)
{
    if (b == 0) fail_zero();
    if (b == -1) return 0;
    const std::int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double floor_rest(double a, double b)
{
    if (b == 0) fail_zero();
    double rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(0.0, b);
    if ((b < 0) != (rest < 0)) rest += b;
    return rest;
}

double floor_quotient(double a, double b)
{
    if (b == 0) fail_zero();
    const double rest = std::fmod(a, b);
    double q = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) q -= 1;
    if (q == 0) return std::copysign(0.0, a / b);
    const double whole = std::floor(q);
    return q - whole > 0.5 ? whole + 1 : whole;
}

double double_power(double base, double exponent)
{
    if (base == 0 && exponent < 0) fail_zero();
    if (base < 0 && std::isfinite(base) && std::isfinite(exponent) && std::trunc(exponent) != exponent)
        throw Error(Code::invalid, "a power of a negative number that is not real");
    const double result = std::pow(base, exponent);
    if (std::isinf(result) && std::isfinite(base) && std::isfinite(exponent))
        throw Error(Code::invalid, "a power is too large");
    return result;
}

Value integer_power(std::int64_t base, std::int64_t exponent)
{
    if (exponent < 0) return double_power(static_cast<double>(base), static_cast<double>(exponent));
    std::int64_t result = 1;
    if (base == 0 || base == 1 || base == -1) return exponent == 0 ? 1 : base == -1 && exponent % 2 == 0 ? 1 : base;
    if (exponent > 63) fail_overflow();
    for (; exponent > 0; --exponent)
        if (__builtin_mul_overflow(result, base, &result)) fail_overflow();
    return result;
}

Value on_integers(Operator op, std::int64_t a, std::int64_t b)
{
    std::int64_t result = 0;
    bool overflow = false;
    switch (op) {
    case Operator::add: overflow = __builtin_add_overflow(a, b, &result); break;
    case Operator::subtract: overflow = __builtin_sub_overflow(a, b, &result); break;
    case Operator::multiply: overflow = __builtin_mul_overflow(a, b, &result); break;
    case Operator::floor_divide: return floor_quotient(a, b);
    case Operator::modulo: return floor_rest(a, b);
    case Operator::power: return integer_power(a, b);
    case Operator::divide:
        if (b == 0) fail_zero();
        return quotient(a, b);
    }
    if (overflow) fail_overflow();
    return result;
}

Value on_doubles(Operator op, double a, double b)
{
    switch (op) {
    case Operator::add: return a + b;
    case Operator::subtract: return a - b;
    case Operator::multiply: return a * b;
    case Operator::floor_divide: return floor_quotient(a, b);
    case Operator::modulo: return floor_rest(a, b);
    case Operator::power: return double_power(a, b);
    case Operator::divide: break;
    }
    if (b == 0) fail_zero();
    return a / b;
}

Value joined_texts(const Value& left, const Value& right, Meter& meter)
{
    const bool special = left.special() || right.special();
    const auto part = [&](const Value& value) {
        return special && !value.special() ? escaped(value.text()) : value.text();
    };
    Meter::check_text(left.text().size() + right.text().size());
    meter.charge_bytes(left.text().size() + right.text().size());
    std::string text = part(left) + part(right);
    Meter::check_text(text.size());
    return special ? markup_of(std::move(text)) : Value(std::move(text));
}

Value joined_items(const Value& left, const Value& right, Meter& meter)
{
    meter.charge(left.items().size() + right.items().size());
    std::vector<Value> items = left.items();
    items.insert(items.end(), right.items().begin(), right.items().end());
    return left.is(Kind::list) ? Value::list(std::move(items)) : tuple_of(std::move(items));
}

Value repeated(const Value& value, std::int64_t times, Meter& meter)
{
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(times, 0));
    if (is_text(value)) {
        const std::string& text = value.text();
        if (!text.empty() && count > kMaxText / text.size()) Meter::check_text(kMaxText + 1);
        meter.charge_bytes(text.size() * count);
        std::string all;
        all.reserve(text.size() * count);
        for (std::size_t i = 0; i < count && !text.empty(); ++i) all += text;
        return value.special() ? markup_of(std::move(all)) : Value(std::move(all));
    }
    const std::vector<Value>& items = value.items();
    std::vector<Value> all;
    if (!items.empty()) {
        meter.charge(count > kMaxOperations ? kMaxOperations + 1 : items.size() * count);
        all.reserve(items.size() * count);
        for (std::size_t i = 0; i < count; ++i) all.insert(all.end(), items.begin(), items.end());
    }
    return value.is(Kind::list) ? Value::list(std::move(all)) : tuple_of(std::move(all));
}

bool can_repeat(const Value& value, const Value& times)
{
    return (is_text(value) || is_sequence(value)) && is_integral(times);
}

}  // namespace

Value apply(Operator op, const Value& left, const Value& right, Meter& meter)
{
    if (is_integral(left) && is_integral(right)) return on_integers(op, integral(left), integral(right));
    if (is_number(left) && is_number(right)) return on_doubles(op, as_double(left), as_double(right));
    if (op == Operator::modulo && is_text(left)) return percent(left, right, meter);
    if (is_undefined(left)) fail_undefined(left);
    if (is_undefined(right)) fail_undefined(right);
    if (op == Operator::add && left.kind() == right.kind()) {
        if (is_text(left)) return joined_texts(left, right, meter);
        if (is_sequence(left)) return joined_items(left, right, meter);
    }
    if (op == Operator::multiply && can_repeat(left, right)) return repeated(left, integral(right), meter);
    if (op == Operator::multiply && can_repeat(right, left)) return repeated(right, integral(left), meter);
    fail_operands(op, left, right);
}

Value plus(const Value& value)
{
    if (is_undefined(value)) fail_undefined(value);
    if (!is_number(value)) throw Error(Code::invalid, "+ does not take a " + std::string(type_name(value)));
    return value.is(Kind::boolean) ? Value(integral(value)) : value;
}

Value negated(const Value& value)
{
    if (is_undefined(value)) fail_undefined(value);
    if (value.is(Kind::number)) return -value.number();
    if (!is_integral(value)) throw Error(Code::invalid, "- does not take a " + std::string(type_name(value)));
    if (integral(value) == kLowest) fail_overflow();
    return -integral(value);
}

}  // namespace cadre::text::tpl
