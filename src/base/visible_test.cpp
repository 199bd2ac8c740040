#include "base/visible.hpp"

#include <doctest/doctest.h>

using namespace cadre;

TEST_CASE("what cannot be seen is written as JSON would, and all else stays")
{
    struct {
        const char* text;
        const char* shown;
    } const cases[] = {
        {"a café, 数, \xF0\x9F\x98\x80 → b", "a café, 数, \xF0\x9F\x98\x80 → b"},
        {"a\nb\t\r\x1b[31m\x7f", R"(a\nb\t\r\u001b[31m\u007f)"},
        {"\v\b\f", R"(\u000b\b\f)"},
        {"user\xE2\x80\xAE gpj", R"(user\u202e gpj)"},                        // right-to-left override
        {"\xE2\x81\xA6x\xE2\x81\xA9\xE2\x80\x8B", R"(\u2066x\u2069\u200b)"},  // isolates, zero-width space
        {"\xEF\xBB\xBF\xC2\x9B\xC2\xAD", R"(\ufeff\u009b\u00ad)"},
        {"\xF3\xA0\x81\x81", R"(\udb40\udc41)"},  // a tag, above U+FFFF
        {"\xFFz", R"(\ufffdz)"},
        {"\\n", "\\n"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.shown);
        CHECK(visible(c.text) == c.shown);
    }
}
