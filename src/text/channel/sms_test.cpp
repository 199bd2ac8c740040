#include "text/channel/sms.hpp"

#include "base/random.hpp"
#include "text/channel/grapheme.hpp"
#include "text/code_point.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace cadre;
using namespace cadre::text;

namespace {

std::string times(std::string_view text, int count)
{
    std::string out;
    while (count-- > 0) out += text;
    return out;
}

constexpr std::string_view kFamily = "👩‍👩‍👧‍👦";  // seven code points, eleven UTF-16 units

}  // namespace

TEST_CASE("sms: segments are counted as carriers count them")
{
    const struct {
        std::string text;
        SmsEncoding encoding;
        std::size_t segments;
    } cases[] = {
        {times("a", 160), SmsEncoding::gsm7, 1},
        {times("a", 161), SmsEncoding::gsm7, 2},
        {times("a", 306), SmsEncoding::gsm7, 2},
        {times("a", 307), SmsEncoding::gsm7, 3},
        {times("a", 158) + "€", SmsEncoding::gsm7, 1},
        {times("a", 159) + "€", SmsEncoding::gsm7, 2},
        {times("a", 152) + "€" + times("a", 152), SmsEncoding::gsm7, 3},
        {times("é", 160), SmsEncoding::gsm7, 1},
        {times("ç", 71), SmsEncoding::ucs2, 2},
        {times("ê", 70), SmsEncoding::ucs2, 1},
        {times("ê", 71), SmsEncoding::ucs2, 2},
        {times("ê", 134), SmsEncoding::ucs2, 2},
        {times("ê", 135), SmsEncoding::ucs2, 3},
        {times("a", 68) + "😀", SmsEncoding::ucs2, 1},
        {times("a", 69) + "😀", SmsEncoding::ucs2, 2},
        {times("😀", 1600), SmsEncoding::ucs2, 49},
        {times(kFamily, 6) + "a", SmsEncoding::ucs2, 1},
        {times(kFamily, 7), SmsEncoding::ucs2, 2},
        {times("a", 1600), SmsEncoding::gsm7, 11},
        {times("ê", 1600), SmsEncoding::ucs2, 24},
        {"`", SmsEncoding::ucs2, 1},
        {"—", SmsEncoding::ucs2, 1},
        {"’", SmsEncoding::ucs2, 1},
        {"", SmsEncoding::gsm7, 0},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(sms_size(c.text).encoding == c.encoding);
        CHECK(sms_size(c.text).segments == c.segments);
    }
}

TEST_CASE("sms case 2: a euro sign at the end of a segment moves to the next one as a whole")
{
    CHECK(sms_size(times("a", 152) + "€" + times("a", 151)).segments == 2);  // 152, then 2 + 151
    CHECK(sms_size(times("a", 152) + "€" + times("a", 152)).segments == 3);
    CHECK(sms_size(times("a", 151) + "€" + times("a", 153)).segments == 2);
    CHECK(sms_size("€").units == 2);
    CHECK(sms_size("€").characters == 1);
}

TEST_CASE("sms case 3: an emoji of seven code points is counted as seven and never divided")
{
    CHECK(sms_size(kFamily) == SmsSize{SmsEncoding::ucs2, 7, 11, 11, 1});
    CHECK(sms_size(times("a", 57) + std::string(kFamily) + times("a", 56)).segments == 2);  // 57, then 11 + 56
    CHECK(sms_size(times("a", 57) + std::string(kFamily) + times("a", 57)).segments == 3);
    CHECK(grapheme_ends(kFamily).size() == 1);
}

TEST_CASE("sms: typography becomes what GSM-7 has, letters stay")
{
    CHECK(with_plain_typography("“a” „b“ «c» ‘d’ – — … \u00A0• x") == "\"a\" \"b\" \"c\" 'd' - - ...  - x");
    CHECK(with_plain_typography("çêßΩ 漢 😀") == "çêßΩ 漢 😀");
    CHECK(sms_size(with_plain_typography("It’s “fine” – really…")).encoding == SmsEncoding::gsm7);
    CHECK(with_plain_typography("\xFF"
                                "a") == "\xFF"
                                        "a");
}

TEST_CASE("sms: a grapheme longer than a segment is divided, and the count stays right")
{
    const std::string accents = "e" + times("\u0301", 200);
    CHECK(grapheme_ends(accents).size() == 1);
    CHECK(sms_size(accents).segments == 3);  // 201 units
}

TEST_CASE("sms: for any text, segments hold all its units, and no fewer would do")
{
    constexpr std::string_view pieces[] = {"a",       "b ", "€",  "é",  "ç",    "😀", "👩‍👩‍👧‍👦",
                                           "e\u0301", "{",  "\n", "🇩🇪", "\xFF", "漢"};
    SeededRandom random(5);
    for (int i = 0; i < 3'000; ++i) {
        std::string text;
        for (auto n = random.below(200); n > 0; --n) text += pieces[random.below(i % 2 == 0 ? 4 : std::size(pieces))];
        const SmsSize size = sms_size(text);
        const bool gsm = size.encoding == SmsEncoding::gsm7;
        const std::size_t alone = gsm ? 160 : 70, joined = gsm ? 153 : 67;
        const std::size_t longest = gsm ? 2 : 11;  // what is not divided here
        CAPTURE(text);
        REQUIRE(size.characters == count_code_points(text));
        REQUIRE((size.segments == 1) == (size.units > 0 && size.units <= alone));
        if (size.segments < 2) continue;
        REQUIRE(size.segments * joined >= size.units);
        REQUIRE((size.segments - 1) * (joined - longest + 1) < size.units);
    }
}

TEST_CASE("emojis: they are told from text, and taken out with the blank that they leave")
{
    struct {
        const char* text;
        const char* without;
    } const cases[] = {
        {"Great! 🎉 See you", "Great! See you"},
        {"✅ Done", "Done"},
        {"Done ✅", "Done"},
        {"a 👩‍👩‍👧‍👦🇩🇪 b", "a b"},
        {"line ❤️\nnext", "line\nnext"},
        {"1️⃣ first", "first"},
        {"⚠️ and ℹ️", "and"},
        {"© 2024 ™ 5 # *", "© 2024 ™ 5 # *"},
        {"ê 漢字 ß", "ê 漢字 ß"},
        {"a  b", "a  b"},
        {"🎉", ""},
    };
    for (const auto& c : cases) {
        CAPTURE(std::string(c.text));
        CHECK(without_emojis(c.text) == c.without);
        CHECK(has_emojis(c.text) == (std::string(c.text) != c.without));
        CHECK(!has_emojis(without_emojis(c.text)));
    }
}
