#include "tools/builtin/calculator.hpp"

#include "support/error_of.hpp"
#include "tools/builtin/tool_call_fixture.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::tools;
using cadre::test::error_of;

TEST_CASE("the calculator follows the rules of arithmetic")
{
    struct {
        const char* expression;
        const char* result;
    } const cases[] = {
        {"2+3", "5"},
        {" 2 +\n3\t", "5"},
        {"2+3*4", "14"},
        {"(2+3)*4", "20"},
        {"10-4-3", "3"},
        {"24/4/3", "2"},
        {"7/2", "3.5"},
        {"6/3", "2"},
        {"1/3", "0.333333333333333"},
        {"7%3", "1"},
        {"-7%3", "2"},
        {"7%-3", "-2"},
        {"7.5%2", "1.5"},
        {"-7.5%2", "0.5"},
        {"2^10", "1024"},
        {"2**10", "1024"},
        {"2^3^2", "512"},
        {"-2^2", "-4"},
        {"(-2)^2", "4"},
        {"(-2)^3", "-8"},
        {"2^-1", "0.5"},
        {"10^-2", "0.01"},
        {"0^0", "1"},
        {"4^0.5", "2"},
        {"2*-3", "-6"},
        {"--2", "2"},
        {"+-+2", "-2"},
        {"-0.0", "0"},
        {"0*-5", "0"},
        {".5+1.", "1.5"},
        {"1e3", "1000"},
        {"1.5E-3", "0.0015"},
        {"2.0", "2"},
        {"0.1+0.2", "0.3"},
        {"19.99*3", "59.97"},
        {"1e21+1", "1e+21"},
        {"sqrt(16)", "4"},
        {"SQRT(2)", "1.4142135623731"},
        {"abs(-3)", "3"},
        {"abs(-2.5)", "2.5"},
        {"min(3, 1, 2)", "1"},
        {"max(3, 1, 2.5)", "3"},
        {"max(-1)", "-1"},
        {"round(2.5)", "3"},
        {"round(-2.5)", "-3"},
        {"floor(-2.5)", "-3"},
        {"ceil(2.1)", "3"},
        {"floor(7)", "7"},
        {"round(-0.4)", "0"},
        {"floor(1234567890123456.5)", "1234567890123456"},
        {"1234567890123456.5", "1.23456789012346e+15"},
        {"floor(1e20)", "1e+20"},
        {"min(1,2)*max(3,4)+sqrt(9)", "7"},
        {"pi", "3.14159265358979"},
        {"2*PI", "6.28318530717959"},
        {"e^0", "1"},
        {"1^99999999999999999999", "1"},
        {"(-1)^3", "-1"},
        {"0^5", "0"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.expression);
        CHECK(calculate(c.expression) == c.result);
    }
}

TEST_CASE("whole numbers are exact far beyond what a double holds")
{
    struct {
        const char* expression;
        const char* result;
    } const cases[] = {
        {"123456789*987654321", "121932631112635269"},
        {"9007199254740993", "9007199254740993"},
        {"9007199254740993+0", "9007199254740993"},
        {"2^64", "18446744073709551616"},
        {"2^100", "1267650600228229401496703205376"},
        {"-2^63", "-9223372036854775808"},
        {"3^40 / 3^38", "9"},
        {"10^35*9+99999999999999999999999999999999999", "999999999999999999999999999999999999"},
        {"10^36", "1e+36"},
        {"10^36-10^36", "0"},
        {"-(10^35)*10", "-1e+36"},
        {"999999999999999999999999999999999999+1", "1e+36"},
        {"1000000000000000000000000000000000000", "1e+36"},
        {"12345678901234567890 % 97", "3"},
        {"2^1000", "1.07150860718627e+301"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.expression);
        CHECK(calculate(c.expression) == c.result);
    }
}

TEST_CASE("what cannot be calculated is refused with the reason and the place")
{
    const std::string deep = std::string(101, '(') + "1" + std::string(101, ')');
    struct {
        std::string expression;
        const char* says;
    } const cases[] = {
        {"1/0", "Division by zero has no result."},
        {"1/(2-2)", "Division by zero has no result."},
        {"1/0.0", "Division by zero has no result."},
        {"5%0", "Division by zero has no result."},
        {"0^-1", "Division by zero has no result."},
        {"10^400", "The result is too large"},
        {"1e308*10", "The result is too large"},
        {"2^2^2^2^2^2", "The result is too large"},
        {"1e999", "The number \"1e999\" is too large or too small."},
        {"sqrt(-1)", "The square root of a negative number is not real."},
        {"(-8)^(1/3)", "A negative number to a power that is not whole has no real result."},
        {"", "The expression ends too early (at character 1)."},
        {"2+", "The expression ends too early (at character 3)."},
        {"(2", "A parenthesis is not closed (at character 3)."},
        {"2)", "\")\" cannot stand here (at character 2)."},
        {"2 3", "\"3\" cannot stand here; write * between things that are multiplied (at character 3)."},
        {"2(3)", "\"(\" cannot stand here; write * between things that are multiplied (at character 2)."},
        {"2e", "\"e\" cannot stand here; write * between"},
        {"1,000", "\",\" cannot stand here; write numbers without separators"},
        {".", "\".\" cannot stand here (at character 1)."},
        {"1..2", "\".\" cannot stand here (at character 3)."},
        {"2×3", "\"×\" cannot stand here (at character 2)."},
        {"'×'+$", "cannot stand here (at character 1)."},
        {std::string("2\0+3", 4), "\"\\u0000\" cannot stand here (at character 2)."},
        {"2\xff", "cannot stand here (at character 2)."},
        {"sin(1)", "\"sin\" is not known; there are sqrt, abs, min, max, round, floor, ceil, pi, e (at character 1)."},
        {"x+1", "\"x\" is not known"},
        {"sqrt 4", "sqrt needs parentheses, like sqrt(2) (at character 6)."},
        {"sqrt()", "\")\" cannot stand here (at character 6)."},
        {"round(1,2)", "round takes 1 value, not 2"},
        {"min()", "\")\" cannot stand here"},
        {"2 ^", "The expression ends too early"},
        {"2 * * 3", "\"*\" cannot stand here"},
        {deep, "The expression is nested deeper than 100 levels; calculate it in parts"},
        {std::string(1000, '-'), "The expression is nested deeper than 100 levels"},
        {std::string(1000, '1'), "The number \"1111111111111111111111111111111111111111…\" is too large or too small."},
        {std::string(1001, '1'), "The expression has 1001 characters; at most 1000 are allowed."},
    };
    for (const auto& c : cases) {
        CAPTURE(c.expression);
        CHECK(error_of([&] { calculate(c.expression); }) == doctest::Contains(c.says));
    }
    CHECK(calculate(std::string(99, '(') + "1" + std::string(99, ')')) == "1");
}

TEST_CASE("the calculator answers a model with a number, or with what to mend")
{
    const auto tool = calculator_tool();
    CHECK(tool->definition().effect == model::Effect::pure);
    CHECK(call(*tool, {{"expression", "2+3"}}) == Result{.text = "5"});
    CHECK(call(*tool, {{"expression", "1/0"}}) == Result{.text = "Division by zero has no result.", .is_error = true});
    const Result wrong = call(*tool, {{"expresion", "2+3"}});
    CHECK(wrong.is_error);
    CHECK(wrong.text.c_str() == doctest::Contains("The arguments of calculator do not fit its schema"));
}
