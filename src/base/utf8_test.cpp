#include "base/utf8.hpp"

#include <doctest/doctest.h>

using namespace cadre;

TEST_CASE("the length of a character is found, and refused for what is none")
{
    struct {
        const char* name;
        std::string_view text;
        std::size_t length;
    } const cases[] = {
        {"nothing", "", 0},
        {"NUL", std::string_view("\0", 1), 1},
        {"ASCII", "ab", 1},
        {"two bytes", "\u00E9x", 2},
        {"three bytes", "\u20ACx", 3},
        {"four bytes", "\U0001F600", 4},
        {"last character of all", "\U0010FFFF", 4},
        {"continuation first", "\x80", 0},
        {"overlong, two bytes", "\xC0\xAF", 0},
        {"overlong, three bytes", "\xE0\x9F\xBF", 0},
        {"overlong, four bytes", "\xF0\x8F\xBF\xBF", 0},
        {"surrogate", "\xED\xA0\x80", 0},
        {"last before the surrogates", "\xED\x9F\xBF", 3},
        {"beyond the last", "\xF4\x90\x80\x80", 0},
        {"no such lead", "\xF5\x80\x80\x80", 0},
        {"cut short", "\xE2\x82", 0},
        {"broken off", "\xE2\x82x", 0},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        CHECK(utf8_length(c.text) == c.length);
    }
}

TEST_CASE("a prefix never splits a character, and never vanishes for bytes that are none")
{
    const std::string_view text = "a\u20ACb";
    CHECK(utf8_prefix(text, 0) == "");
    CHECK(utf8_prefix(text, 1) == "a");
    CHECK(utf8_prefix(text, 3) == "a");
    CHECK(utf8_prefix(text, 4) == "a\u20AC");
    CHECK(utf8_prefix(text, 99) == text);
    CHECK(utf8_prefix("\x80\x80\x80\x80\x80\x80\x80\x80", 6).size() == 3);
}
