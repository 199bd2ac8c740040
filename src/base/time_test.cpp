#include "base/time.hpp"

#include "base/random.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace cadre;
using namespace std::chrono_literals;
using test::error_of;

namespace {

constexpr Time kExample = std::chrono::sys_days(std::chrono::year(2025) / 1 / 15) + 10h + 30min + 5s;

}  // namespace

TEST_CASE("times are written in UTC with a Z, and read with any offset")  // SER-02 U
{
    CHECK(to_iso(kExample) == "2025-01-15T10:30:05Z");
    CHECK(to_iso(kExample + 7ms) == "2025-01-15T10:30:05.007Z");

    struct {
        const char* text;
        Millis after_example;
    } const cases[] = {
        {"2025-01-15T10:30:05Z", 0ms},
        {"2025-01-15 10:30:05Z", 0ms},
        {"2025-01-15T10:30:05", 0ms},
        {"2025-01-15T12:30:05+02:00", 0ms},
        {"2025-01-15T12:30:05+0200", 0ms},
        {"2025-01-15T12:30:05+02", 0ms},
        {"2025-01-14T22:45:05-11:45", 0ms},
        {"2025-01-15T10:30:05-00:00", 0ms},
        {"2025-01-15T10:30:05.1Z", 100ms},
        {"2025-01-15T10:30:05.12+00:00", 120ms},
        {"2025-01-15T10:30:05.123456789Z", 123ms},
        {"2025-01-15T10:30:05.9999Z", 999ms},
        {"2025-01-15T10:30:05.000001", 0ms},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(to_iso(time_from_iso(c.text)) == to_iso(kExample + c.after_example));
    }
}

TEST_CASE("a time reads back as it was written, from year 0000 to 9999")
{
    SeededRandom random(7);
    const Time first = time_from_iso("0000-01-01T00:00:00Z");
    const Time last = time_from_iso("9999-12-31T23:59:59.999Z");
    const auto span = static_cast<std::uint64_t>((last - first).count());
    for (int i = 0; i < 10'000; ++i) {
        const Time time = first + Millis(random.below(span + 1));
        REQUIRE(time_from_iso(to_iso(time)) == time);
    }
    CHECK(time_from_iso("1970-01-01T00:00:00Z") == Time{});
    CHECK(to_iso(Time(-1ms)) == "1969-12-31T23:59:59.999Z");
    CHECK(error_of([&] { to_iso(last + 1ms); }) == doctest::Contains("invalid: "));
    CHECK(error_of([&] { to_iso(first - 1ms); }) == doctest::Contains("invalid: "));
}

TEST_CASE("what is not a time is refused with the reason")
{
    struct {
        const char* text;
        const char* says;
    } const cases[] = {
        {"", "the year must be 4 digits"},
        {"yesterday", "the year must be 4 digits"},
        {"+025-01-15T10:30:05Z", "the year must be 4 digits"},
        {"2025-1-15T10:30:05Z", "the month must be 2 digits"},
        {"2025-13-15T10:30:05Z", "the month must be 1 to 12"},
        {"2025-02-30T10:30:05Z", "the month has no such day"},
        {"2023-02-29T10:30:05Z", "the month has no such day"},
        {"2025-01-15", "a T or a space"},
        {"2025-01-15T24:00:00Z", "the hour must be 0 to 23"},
        {"2025-01-15T10:30Z", "a : must follow the minute"},
        {"2025-06-30T23:59:60Z", "leap seconds are not supported"},
        {"2025-01-15T10:30:61Z", "the second must be 0 to 59"},
        {"2025-01-15T10:30:05.Z", "1 to 9 decimals"},
        {"2025-01-15T10:30:05.1234567890Z", "1 to 9 decimals"},
        {"2025-01-15T10:30:05,5Z", "Z, an offset or nothing"},
        {"2025-01-15T10:30:05z", "Z, an offset or nothing"},
        {"2025-01-15T10:30:05+2", "the hour of the offset must be 2 digits"},
        {"2025-01-15T10:30:05+02:", "the minute of the offset must be 2 digits"},
        {"2025-01-15T10:30:05+24:00", "the hour of the offset must be 0 to 23"},
        {"2025-01-15T10:30:05Z!", "text follows the time"},
        {"0000-01-01T00:00:00+01:00", "the year must be 0000 to 9999"},
        {"9999-12-31T23:30:00-01:00", "the year must be 0000 to 9999"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        const auto error = error_of([&] { time_from_iso(c.text); });
        CHECK(error == doctest::Contains(c.says));
        CHECK(error == doctest::Contains(("malformed: " + in_quotes(c.text)).c_str()));
    }
    CHECK(time_from_iso("2024-02-29T00:00:00Z") < time_from_iso("2024-03-01T00:00:00Z"));
}

TEST_CASE("durations carry their units")
{
    struct {
        const char* text;
        Millis duration;
    } const cases[] = {
        {"250ms", 250ms},     {"30s", 30s},
        {"5m", 5min},         {"2h", 2h},
        {"7d", 7 * 24h},      {"0s", 0s},
        {"007s", 7s},         {"1h30m", 90min},
        {"1d1ms", 24h + 1ms}, {"1d2h3m4s5ms", 26h + 3min + 4s + 5ms},
        {"90m", 90min},       {"9223372036854775807ms", Millis::max()},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(duration_from(c.text) == c.duration);
    }
    struct {
        const char* text;
        const char* says;
    } const wrong[] = {
        {"", "write numbers with units"},
        {"30", "write numbers with units"},
        {"s", "write numbers with units"},
        {"-0s", "write numbers with units"},
        {"-5s", "write numbers with units"},
        {"+5s", "write numbers with units"},
        {"1.5s", "write numbers with units"},
        {"5 s", "write numbers with units"},
        {"5s ", "write numbers with units"},
        {"5S", "write numbers with units"},
        {"5min", "write numbers with units"},
        {"1h30", "write numbers with units"},
        {"30m1h", "units go from large to small"},
        {"1s1s", "units go from large to small"},
        {"9223372036854775808ms", "it is too long"},
        {"9223372036854775s1000ms", "it is too long"},
        {"106751991168d", "it is too long"},
        {"99999999999999999999d", "it is too long"},
    };
    for (const auto& c : wrong) {
        CAPTURE(c.text);
        CHECK(error_of([&] { duration_from(c.text); }) == doctest::Contains(c.says));
    }
}

TEST_CASE("durations are told to people in two units at most")
{
    struct {
        Millis duration;
        const char* text;
    } const cases[] = {
        {0ms, "0 ms"},
        {250ms, "250 ms"},
        {999ms, "999 ms"},
        {1s, "1 s"},
        {1500ms, "1.5 s"},
        {59'999ms, "59.9 s"},
        {1min, "1 min"},
        {125s, "2 min 5 s"},
        {3h + 10min, "3 h 10 min"},
        {23h + 59min + 59s, "23 h 59 min"},
        {98h + 59min, "4 d 2 h"},
        {-1500ms, "-1.5 s"},
        {Millis::min(), "-106751991167 d 7 h"},
    };
    for (const auto& c : cases) CHECK(to_text(c.duration) == c.text);
}

TEST_CASE("the machine's clock is in this century, and its instants never go back")
{
    CHECK(system_clock().now() > time_from_iso("2024-01-01T00:00:00Z"));
    const Instant before = system_clock().instant();
    CHECK(system_clock().instant() >= before);
    CHECK(system_clock().instant() < kNever);
}
