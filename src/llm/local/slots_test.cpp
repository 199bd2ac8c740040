#include "llm/local/arithmetic.hpp"
#include "llm/local/slots.hpp"
#include "llm/local/words.hpp"

#include <doctest/doctest.h>

using namespace cadre::llm::local;

namespace {

std::string said(std::string_view text)
{
    constexpr std::string_view kinds[] = {"quoted", "email", "url", "path", "date", "code", "number", "name"};
    std::string all;
    for (const Slot& slot : find_slots(text))
        all += (all.empty() ? "" : "; ") + std::string(kinds[static_cast<std::size_t>(slot.kind)]) + " " + slot.text;
    return all;
}

}  // namespace

TEST_CASE("what a request names is found, as arguments have it")
{
    struct {
        std::string_view text, found;
    } const cases[] = {
        {"Mail ann@example.org about TS-1042", "email ann@example.org; code TS-1042"},
        {"Write 'hello world' to notes.txt", "quoted hello world; path notes.txt"},
        {"It's Ann's book, isn't it?", "name Ann's"},
        {"weather in New York, please", "name New York"},
        {"What is the weather in Paris?", "name Paris"},
        {"a meeting on 3 May 2026 or 2026-05-04", "date 2026-05-03; date 2026-05-04"},
        {"on May 3rd, 2026", "date 2026-05-03"},
        {"am 15. Januar 2025 und am 1.2.2025", "date 2025-01-15; date 2025-02-01"},
        {"le 3 mars 2025", "date 2025-03-03"},
        {"el 3 de mayo de 2025", "date 2025-05-03"},
        {"03/04/2025 is two days, 25/12/2025 is one", "number 2; date 2025-12-25; number 1"},
        {"30 February 2025", "date 30 February; number 2025"},
        {"for 3 days and 1,600 euros", "number 3; number 1600"},
        {"$40, 12,5 kg, 1.234,5 and -3", "number 40; number 12.5; number 1234.5; number -3"},
        {"two of twelve", "number 2; number 12"},
        {"see https://example.org/a?b=1.", "url https://example.org/a?b=1"},
        {"he said “yes” and «non»", "quoted yes; quoted non"},
        {"either/or, and/or", ""},
        {"order #17 and A100", "code 17; code A100"},
        {"\"open", ""},
        {"", ""},
    };
    for (const auto& one : cases) {
        CAPTURE(one.text);
        CHECK(said(one.text) == one.found);
    }
}

TEST_CASE("numbers are read as people write them, and others not at all")
{
    struct {
        std::string_view text;
        std::optional<double> number;
    } const cases[] = {{"1,600", 1600}, {"1,6", 1.6}, {"1.6", 1.6},   {"1.234.567", 1234567},
                       {"1'000", 1000}, {"-3", -3},   {"1,23,4", {}}, {"1.2.3", {}},
                       {"", {}},        {"-", {}},    {"12a", {}},    {".5", .5},
                       {"5.", {}}};
    for (const auto& one : cases) {
        CAPTURE(one.text);
        CHECK(number_in(one.text) == one.number);
    }
}

TEST_CASE("sums are found in words and signs, and nowhere else")
{
    struct {
        std::string_view text, sum;
    } const cases[] = {
        {"What is 6 * 7?", "6 * 7"},
        {"what's 2+3", "2 + 3"},
        {"17.5 plus 2 times 3", "17.5 + 2 * 3"},
        {"How much is 15% of 80?", "(15 / 100) * 80"},
        {"(1 + 2) × 3", "(1 + 2) * 3"},
        {"Was ist 12 geteilt durch 4?", "12 / 4"},
        {"combien font 3 fois 4", "3 * 4"},
        {"the square root of 16", "sqrt(16)"},
        {"3 squared", "3^2"},
        {"2 to the power of 10", "2 ^ 10"},
        {"two plus three", "2 + 3"},
        {"1,600 / 40", "1600 / 40"},
        {"On 2025-01-15 we met", ""},
        {"24/7 support for 3-4 people, please tell me more", ""},
        {"call 555-1234 tomorrow", ""},
        {"I have 3 apples", ""},
        {"docs/a-b.md", ""},
        {"What is the best of 3?", ""},
        {"On Monday there is a 2 + 1 offer for all who come early, or so they say", ""},
        {"1 + ", ""},
        {"((1 + 2)", ""},
    };
    for (const auto& one : cases) {
        CAPTURE(one.text);
        CHECK(find_arithmetic(one.text).value_or("") == one.sum);
    }
}

TEST_CASE("whatever bytes a request has, slots lie inside of it and do not overlap")
{
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += static_cast<char>((i * 7919) >> 3);
    for (const std::string& one : {text, std::string(50'000, '\''), std::string(50'000, '"'), std::string(50'000, '1'),
                                   std::string("\xff\xfe '\xc3' 1\xe2")}) {
        std::size_t end = 0;
        for (const Slot& slot : find_slots(one)) {
            REQUIRE(slot.begin >= end);
            REQUIRE(slot.end <= one.size());
            end = slot.end;
        }
        find_arithmetic(one);
    }
}

TEST_CASE("greetings, questions and cries for help are known in some languages")
{
    CHECK(is_greeting("Hello!"));
    CHECK(is_greeting("Guten Tag"));
    CHECK_FALSE(is_greeting("Hello, what is 2+3?"));
    CHECK(asks_for_help("What can you do?"));
    CHECK(is_question("Wie lange dauert das"));
    CHECK(is_question("¿Dónde está?"));
    CHECK_FALSE(is_question("Write a text"));
    CHECK(names("Give it to Ann-Marie now", "ann"));
    CHECK_FALSE(names("annotate", "ann"));
}
