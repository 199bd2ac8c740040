#include "schema/number.hpp"

#include "base/json.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using schema::Number;

namespace {

Number number(const char* text)
{
    return Number(parse_json(text));
}

}  // namespace

TEST_CASE("numbers compare by value, exactly, however they are stored")
{
    const char* const ascending[] = {"-1e300",
                                     "-9223372036854775808",
                                     "-9007199254740993",
                                     "-9007199254740992.0",
                                     "-1.5",
                                     "-1",
                                     "0",
                                     "0.1",
                                     "1",
                                     "9007199254740992.0",
                                     "9007199254740993",
                                     "9223372036854775807",
                                     "9223372036854775808",
                                     "18446744073709551615",
                                     "18446744073709551616",
                                     "1e300"};
    for (std::size_t i = 0; i < std::size(ascending); ++i)
        for (std::size_t j = 0; j < std::size(ascending); ++j) {
            CAPTURE(ascending[i]);
            CAPTURE(ascending[j]);
            CHECK((number(ascending[i]) <=> number(ascending[j])) == (i <=> j));
        }
    CHECK(number("1") == number("1.0"));
    CHECK(number("-0.0") == number("0"));
    CHECK(number("1e2").hash() == number("100").hash());
    CHECK(number("1e19").hash() == number("10000000000000000000").hash());
    CHECK(number("-0.0").hash() == number("0").hash());
}

TEST_CASE("multiples are exact in decimal")
{
    struct {
        const char* value;
        const char* divisor;
        bool is_multiple;
    } const cases[] = {
        {"19.99", "0.01", true},
        {"0.3", "0.1", true},
        {"4.35", "0.01", true},
        {"4.355", "0.01", false},
        {"1e308", "0.5", true},
        {"1e308", "0.123456789", false},
        {"0", "3", true},
        {"-9", "3", true},
        {"1e300", "7", false},
        {"7e300", "7", true},
        {"3", "1e300", false},
        {"5e-324", "5e-324", true},
        {"1", "5e-324", true},
        {"12391239123", "1e-8", true},
        {"18446744073709551615", "5", true},
        {"1.5", "3", false},
        {"0.0075", "0.0001", true},
        {"0.00751", "0.0001", false},
    };
    for (const auto& c : cases) {
        CAPTURE(c.value);
        CAPTURE(c.divisor);
        CHECK(number(c.value).is_multiple_of(number(c.divisor)) == c.is_multiple);
    }
}
