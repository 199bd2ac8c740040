#include "base/error.hpp"
#include "text/template/bodies.hpp"
#include "text/template/compare.hpp"
#include "text/template/filters.hpp"
#include "text/template/iterate.hpp"
#include "text/template/meter.hpp"
#include "text/template/operators.hpp"

namespace cadre::text::tpl {
namespace {

/// `value % divisor == rest`, whatever % means for them.
bool leaves(const Value& value, const Value& divisor, std::int64_t rest, Meter& meter)
{
    return equal(apply(Operator::modulo, value, divisor, meter), Value(rest), meter);
}

template <bool (*Ask)(const Value&)>
bool plain_test(const Value& value, const Arguments& arguments, Meter&)
{
    arguments.expect_none();
    return Ask(value);
}

bool asks_defined(const Value& value)
{
    return !is_undefined(value);
}

bool asks_none(const Value& value)
{
    return value.is(Kind::null);
}

bool asks_boolean(const Value& value)
{
    return value.is(Kind::boolean);
}

bool asks_integer(const Value& value)
{
    return value.is(Kind::integer);
}

bool asks_mapping(const Value& value)
{
    return value.is(Kind::dict);
}

bool asks_sequence(const Value& value)
{
    return is_indexed(value) || value.is(Kind::dict) || (is_undefined(value) && value.special());
}

template <int Rest>
bool parity_test(const Value& value, const Arguments& arguments, Meter& meter)
{
    arguments.expect_none();
    return leaves(value, Value(2), Rest, meter);
}

bool divisible_test(const Value& value, const Arguments& arguments, Meter& meter)
{
    const auto [divisor] = arguments.bind({"num"}, 1);
    return leaves(value, *divisor, 0, meter);
}

template <bool Wanted>
bool equal_test(const Value& value, const Arguments& arguments, Meter& meter)
{
    arguments.expect(1, 1);
    return equal(value, arguments.positional[0], meter) == Wanted;
}

template <Order Wanted>
bool order_test(const Value& value, const Arguments& arguments, Meter& meter)
{
    arguments.expect(1, 1);
    return ordered(Wanted, value, arguments.positional[0], meter);
}

bool in_test(const Value& value, const Arguments& arguments, Meter& meter)
{
    const auto [whole] = arguments.bind({"seq"}, 1);
    return contains(*whole, value, meter);
}

}  // namespace

const std::vector<Test>& all_tests()
{
    static const std::vector<Test> tests = {
        {"boolean", plain_test<asks_boolean>},
        {"defined", plain_test<asks_defined>},
        {"divisibleby", divisible_test},
        {"eq", equal_test<true>},
        {"even", parity_test<0>},
        {"ge", order_test<Order::greater_equal>},
        {"gt", order_test<Order::greater>},
        {"in", in_test},
        {"integer", plain_test<asks_integer>},
        {"iterable", plain_test<is_iterable>},
        {"le", order_test<Order::less_equal>},
        {"lt", order_test<Order::less>},
        {"mapping", plain_test<asks_mapping>},
        {"ne", equal_test<false>},
        {"none", plain_test<asks_none>},
        {"number", plain_test<is_number>},
        {"odd", parity_test<1>},
        {"sequence", plain_test<asks_sequence>},
        {"string", plain_test<is_text>},
        {"undefined", plain_test<is_undefined>},
    };
    return tests;
}

}  // namespace cadre::text::tpl
