#include "base/time.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace cadre {

namespace {

using namespace std::chrono;

constexpr Time kFirst = sys_days(year(0) / 1 / 1);
constexpr Time kLast = sys_days(year(10000) / 1 / 1) - Millis(1);

/// Takes a text apart from left to right; every refusal quotes the whole of it.
class TimeReader {
public:
    explicit TimeReader(std::string_view text) : text_(text), rest_(text) {}

    Time read()
    {
        const sys_days date = read_date();
        if (!take('T') && !take(' ')) refuse("a T or a space must stand between date and time");
        const Time local = date + read_time_of_day();
        const Time time = local - read_offset();
        if (!rest_.empty()) refuse("text follows the time");
        if (time < kFirst || time > kLast) refuse("the year must be 0000 to 9999");
        return time;
    }

private:
    [[noreturn]] void refuse(std::string_view why) const
    {
        throw Error(Code::malformed, fmt::format("{} is not a time: {}", in_quotes(text_), why));
    }

    bool take(char c)
    {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    int number(std::size_t digits, int low, int high, std::string_view what)
    {
        int value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            if (i >= rest_.size() || !is_digit(rest_[i])) refuse(fmt::format("the {} must be {} digits", what, digits));
            value = 10 * value + (rest_[i] - '0');
        }
        if (value < low || value > high) refuse(fmt::format("the {} must be {} to {}", what, low, high));
        rest_.remove_prefix(digits);
        return value;
    }

    void expect(char c, std::string_view after)
    {
        if (!take(c)) refuse(fmt::format("a {} must follow the {}", c, after));
    }

    sys_days read_date()
    {
        const year y(number(4, 0, 9999, "year"));
        expect('-', "year");
        const month m(static_cast<unsigned>(number(2, 1, 12, "month")));
        expect('-', "month");
        const day d(static_cast<unsigned>(number(2, 1, 31, "day")));
        if (!(y / m / d).ok()) refuse("the month has no such day");
        return y / m / d;
    }

    Millis read_time_of_day()
    {
        const hours h(number(2, 0, 23, "hour"));
        expect(':', "hour");
        const minutes m(number(2, 0, 59, "minute"));
        expect(':', "minute");
        if (rest_.starts_with("60")) refuse("leap seconds are not supported, 59 is the last second");
        const seconds s(number(2, 0, 59, "second"));
        return h + m + s + (take('.') ? read_fraction() : Millis(0));
    }

    Millis read_fraction()
    {
        const auto digits = std::ranges::find_if_not(rest_, is_digit) - rest_.begin();
        if (digits < 1 || digits > 9) refuse("the second has 1 to 9 decimals");
        int millis = 0;
        for (int i = 0; i < 3; ++i) millis = 10 * millis + (i < digits ? rest_[i] - '0' : 0);
        rest_.remove_prefix(static_cast<std::size_t>(digits));
        return Millis(millis);
    }

    minutes read_offset()
    {
        if (take('Z') || rest_.empty()) return minutes(0);
        const bool west = take('-');
        if (!west && !take('+')) refuse("Z, an offset or nothing must follow the time");
        minutes offset = hours(number(2, 0, 23, "hour of the offset"));
        if (take(':') || !rest_.empty()) offset += minutes(number(2, 0, 59, "minute of the offset"));
        return west ? -offset : offset;
    }

    std::string_view text_;
    std::string_view rest_;
};

struct Unit {
    std::string_view name;
    Millis size;
};
constexpr std::array<Unit, 5> kUnits = {
    {{"d", days(1)}, {"h", hours(1)}, {"m", minutes(1)}, {"s", seconds(1)}, {"ms", Millis(1)}}};

[[noreturn]] void refuse_duration(std::string_view text, std::string_view why)
{
    throw Error(Code::malformed, fmt::format("{} is not a duration: {}", in_quotes(text), why));
}

std::string with_rest(std::uint64_t count, std::string_view unit, std::uint64_t rest, std::string_view rest_unit)
{
    if (rest == 0) return fmt::format("{} {}", count, unit);
    return fmt::format("{} {} {} {}", count, unit, rest, rest_unit);
}

std::string text_of(std::uint64_t millis)
{
    const std::uint64_t seconds = millis / 1000, minutes = seconds / 60, hours = minutes / 60;
    if (hours >= 24) return with_rest(hours / 24, "d", hours % 24, "h");
    if (hours > 0) return with_rest(hours, "h", minutes % 60, "min");
    if (minutes > 0) return with_rest(minutes, "min", seconds % 60, "s");
    if (seconds == 0) return fmt::format("{} ms", millis);
    const std::uint64_t tenths = millis / 100 % 10;
    return tenths == 0 ? fmt::format("{} s", seconds) : fmt::format("{}.{} s", seconds, tenths);
}

class SystemClock : public Clock {
public:
    Time now() const override { return floor<Millis>(std::chrono::system_clock::now()); }
    Instant instant() const override { return Instant(steady_clock::now().time_since_epoch()); }
};

}  // namespace

const Clock& system_clock()
{
    static const SystemClock clock;
    return clock;
}

Instant later(Instant from, Millis duration)
{
    const auto room = std::chrono::floor<Millis>(kNever - from);  // `from` is never negative: clocks start at zero
    return duration < room ? from + duration : kNever;
}

std::string to_iso(Time time)
{
    if (time < kFirst || time > kLast) throw Error(Code::invalid, "a time outside the years 0000 to 9999");
    const auto day = floor<days>(time);
    const year_month_day date(day);
    const hh_mm_ss<Millis> clock(time - day);
    // by hand: every event has a time, and to format it took a third of the time to write one
    std::string text = "0000-00-00T00:00:00.000Z";
    const auto put = [&](std::size_t first, std::size_t count, auto number) {
        for (std::size_t i = first + count; i-- > first; number /= 10) text[i] = static_cast<char>('0' + number % 10);
    };
    put(0, 4, static_cast<int>(date.year()));
    put(5, 2, static_cast<unsigned>(date.month()));
    put(8, 2, static_cast<unsigned>(date.day()));
    put(11, 2, clock.hours().count());
    put(14, 2, clock.minutes().count());
    put(17, 2, clock.seconds().count());
    put(20, 3, clock.subseconds().count());
    if (clock.subseconds().count() == 0) text.erase(19, 4);
    return text;
}

Time time_from_iso(std::string_view text)
{
    return TimeReader(text).read();
}

Millis duration_from(std::string_view text)
{
    constexpr std::string_view kForm = "write numbers with units, as in 250ms, 30s, 5m, 2h, 7d or 1h30m";
    std::int64_t total = 0;
    auto unit = kUnits.begin();
    std::string_view rest = text;
    if (rest.empty()) refuse_duration(text, kForm);
    while (!rest.empty()) {
        std::int64_t number = 0;
        const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        if (problem == std::errc::result_out_of_range) refuse_duration(text, "it is too long");
        if (problem != std::errc() || !is_digit(rest[0])) refuse_duration(text, kForm);
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));

        const std::string_view name = rest.substr(0, rest.find_first_of("0123456789"));
        if (std::ranges::find(kUnits, name, &Unit::name) == kUnits.end()) refuse_duration(text, kForm);
        unit = std::ranges::find(unit, kUnits.end(), name, &Unit::name);
        if (unit == kUnits.end()) refuse_duration(text, "units go from large to small, each once");
        rest.remove_prefix(name.size());

        std::int64_t millis = 0;
        if (__builtin_mul_overflow(number, unit->size.count(), &millis) ||
            __builtin_add_overflow(total, millis, &total))
            refuse_duration(text, "it is too long");
        ++unit;
    }
    return Millis(total);
}

std::string to_text(Millis duration)
{
    // unsigned, because the smallest duration has no positive twin
    const auto count = static_cast<std::uint64_t>(duration.count());
    return duration.count() < 0 ? "-" + text_of(0 - count) : text_of(count);
}

}  // namespace cadre
