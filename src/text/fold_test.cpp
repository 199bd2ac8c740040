#include "text/fold.hpp"

#include "text/code_point.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace cadre::text;

TEST_CASE("fold: case, width and unseen characters make no difference")
{
    struct {
        const char* text;
        const char* folded;
    } const cases[] = {
        {"Hunter2", "hunter2"},
        {"hun\u200Bter\u00AD2", "hunter2"},
        {"ＨＵＮＴＥＲ２", "hunter2"},
        {"ÄÖÜ ß ẞ Σς", "äöü ß ß σσ"},
        {"a\u00A0b\u3000c\u2003d", "a b c d"},
        {"a\u2028b\u0085c", "a\nb\nc"},
        {"ｱｲ", "アイ"},
        {"\u212A\u017F", "ks"},
        {"𐐀", "𐐨"},
        {"\xFF"
         "a\xC3",
         "\uFFFDa\uFFFD"},
        {"tag\U000E0041\U000E0042s", "tags"},
        {"", ""},
    };
    for (const auto& c : cases) {
        CAPTURE(std::string(c.text));
        CHECK(fold(c.text).text == c.folded);
    }
}

TEST_CASE("fold: folding twice changes nothing more, for every character")
{
    for (char32_t c = 0; c <= 0x10FFFF; ++c) {
        const char32_t once = folded(c);
        if (once == kNotSeen || folded(once) == once) continue;
        CAPTURE(static_cast<std::uint32_t>(c));
        REQUIRE(folded(once) == once);
    }
    CHECK(folded('A') == 'a');
}

TEST_CASE("fold: every place leads back to where it came from, without the unseen characters behind it")
{
    const std::string text = "x\u200BＡ\u200B\u200By";
    const Folded folded = fold(text);
    REQUIRE(folded.text == "xay");
    CHECK(folded.place(1) == 4);
    CHECK(folded.end_place(2, text) == 7);
    CHECK(folded.place(2) == 13);
    CHECK(folded.end_place(3, text) == text.size());
    CHECK(fold("PLAIN").origin.empty());
}

TEST_CASE("code points: what is written is what is read")
{
    for (char32_t c : {U'a', U'ß', U'€', U'😀', char32_t{0x10FFFF}}) {
        std::string text;
        append_code_point(text, c);
        CHECK(first_code_point(text).value == c);
        CHECK(first_code_point(text).bytes == text.size());
    }
    CHECK(count_code_points("a€\xFF😀") == 4);
}
