#include "schema/pattern.hpp"

#include "schema/budget.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using schema::Pattern;
using test::error_of;

TEST_CASE("patterns mean what ECMA-262 means by them")
{
    struct {
        const char* pattern;
        const char* text;
        bool found;
    } const cases[] = {
        {"b", "abc", true},
        {"^b", "abc", false},
        {"^abc$", "abc\n", false},
        {"^.$", "\r", false},
        {"^.$", "\u20AC", true},
        {"^\\d$", "\u0663", false},
        {"^\\w$", "\u00E9", false},
        {"^\\s$", "\u00A0", true},
        {"^\\s$", "\v", true},
        {"^[\\s,]$", "\uFEFF", true},
        {"^[^\\S]$", "\u2003", true},
        {"^\\S$", "\u2003", false},
        {"^\\p{Letter}+$", "\u00C4\u03B2", true},
        {"^\\p{Lu}\\p{Ll}$", "Ab", true},
        {"^\\P{L}$", "1", true},
        {"^\\p{Script=Greek}$", "\u03B2", true},
        {"^[\\p{ASCII}]$", "~", true},
        {"^\\u00e9$", "\u00E9", true},
        {"^\\uD83D\\uDE00$", "\U0001F600", true},
        {"^\\u{1F600}$", "\U0001F600", true},
        {"^\\x41\\cA\\0$", "A\x01", false},
        {"^\\cA$", "\x01", true},
        {"^[\\b]$", "\b", true},
        {"^a\\b", "a b", true},
        {"^[[:alpha:]$", ":", true},
        {"^[^]$", "\n", true},
        {"[]", "a", false},
        {"^\\/\\-\\_\\@$", "/-_@", true},
        {"(?<year>\\d{4})", "2025", true},
    };
    schema::Budget budget(1'000'000, 10);
    for (const auto& c : cases) {
        CAPTURE(c.pattern);
        CHECK(Pattern(c.pattern, 1 << 20).found_in(c.text, budget) == c.found);
    }
}

TEST_CASE("patterns that cannot be matched in linear time, or are none, are refused by name")
{
    struct {
        const char* pattern;
        const char* says;
        bool is_ecma;
    } const cases[] = {
        {"^(?!admin)", "the pattern \"^(?!admin)\" uses look-around", true},
        {"(?<=a)b", "uses look-around", true},
        {"(a)\\1", "uses back references", true},
        {"(?<x>a)\\k<x>", "uses back references", true},
        {"\\a", R"(the pattern "\\a" is not ECMA-262: it has no escape \a)", false},
        {"\\Z", "it has no escape \\Z", false},
        {"a\\", "it ends with a \\", false},
        {"[a", "a [ without its ]", false},
        {"\\p{Klingon}", "is refused: invalid character class range", false},
        {"(", "is refused: missing )", false},
        {"a{1,1001}", "is refused: invalid repetition size", false},
    };
    for (const auto& c : cases) {
        CAPTURE(c.pattern);
        CHECK(error_of([&] { Pattern(c.pattern, 1 << 20); }) == doctest::Contains(c.says));
        CHECK(schema::is_pattern(c.pattern) == c.is_ecma);
    }
}
