#include "patterns/message/numbers.hpp"

#include <doctest/doctest.h>

using namespace cadre::patterns;

namespace {

std::string missing(std::string_view text, std::string_view source)
{
    std::string all;
    for (const std::string& one : unsupported_numbers(text, {source})) all += (all.empty() ? "" : " ") + one;
    return all;
}

}  // namespace

TEST_CASE("numbers: each is read as people write it")
{
    const struct {
        const char* text;
        std::vector<NumberReading> readings;
    } cases[] = {
        {"1600", {{1600, 0}}},
        {"1,600", {{1600, 0}, {1.6, 3}}},
        {"1.600", {{1600, 0}, {1.6, 3}}},
        {"1.234,5", {{1234.5, 1}}},
        {"1,234.50", {{1234.5, 2}}},
        {"12,345,678", {{12345678, 0}}},
        {"0.5", {{0.5, 1}}},
        {"40h", {{40, 0}}},
        {"twelve", {{12, 0}}},
    };
    for (const auto& c : cases) {
        CAPTURE(std::string(c.text));
        const auto found = numbers_in(c.text);
        REQUIRE(found.size() == 1);
        CHECK(found[0].readings == c.readings);
    }
    CHECK(numbers_in("32/40").size() == 2);
    CHECK(numbers_in("80 %")[0].is_percent);
    CHECK(numbers_in("80% and 80\u00A0%, 80 percent").size() == 3);
    CHECK(numbers_in("Q3, v2x, one moment, https://a.example/42, naïve1").empty());
    CHECK(numbers_in("1. first\n2) second").empty());
    CHECK(numbers_in("at 10.").front().text == "10");
}

TEST_CASE("numbers: an answer has those of its sources, or what follows from two of them")
{
    constexpr std::string_view data = R"({"hours_logged": 32, "hours_target": 40, "rate": 12.25, "days": 5})";
    CHECK(missing("32/40 hours, 8 left, 80 % done, 6.4 a day, 392 dollars in five days", data) == "");
    CHECK(missing("You have 39 hours and 39 minutes", data) == "39");
    CHECK(missing("0.8 of it, 1.25 times", data) == "");
    CHECK(missing("eleven things", data) == "eleven");
    CHECK(missing("12 dollars", data) == "");    // at the precision that is shown
    CHECK(missing("12.3 dollars", data) == "");  // rounded
    CHECK(missing("12.26 dollars", data) == "12.26");
    CHECK(missing("1.234,5", "1234.5") == "");
    CHECK(missing("1,234.50", "1.234,5") == "");
    CHECK(missing("no numbers here", "") == "");
    CHECK(missing("7", "") == "7");
    CHECK(missing("57 hours, or call (030) 123-4567", "123") ==
          "57 (030) 123-4567");  // whole, so that logs can mask it
}
