#include "schema/formats.hpp"
#include "schema/scanner.hpp"

#include <chrono>

namespace cadre::schema {

namespace {

bool take_date(Scanner& scan)
{
    const auto year = scan.number(4);
    if (!year || !scan.take("-")) return false;
    const auto month = scan.number(2);
    if (!month || !scan.take("-")) return false;
    const auto day = scan.number(2);
    if (!day) return false;
    using namespace std::chrono;
    return year_month_day(std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                          std::chrono::day(static_cast<unsigned>(*day)))
        .ok();
}

/// Hours and minutes, as minutes.
std::optional<int> take_minutes(Scanner& scan)
{
    const auto hour = scan.number(2);
    if (!hour || *hour > 23 || !scan.take(":")) return std::nullopt;
    const auto minute = scan.number(2);
    if (!minute || *minute > 59) return std::nullopt;
    return *hour * 60 + *minute;
}

bool take_time(Scanner& scan)
{
    const auto minutes = take_minutes(scan);
    if (!minutes || !scan.take(":")) return false;
    const auto second = scan.number(2);
    if (!second || *second > 60) return false;
    if (scan.take(".") && scan.take_while(is_digit) == 0) return false;

    int offset = 0;
    if (!scan.take("zZ")) {
        const int sign = scan.rest().starts_with('-') ? -1 : 1;
        if (!scan.take("+-")) return false;
        const auto shift = take_minutes(scan);
        if (!shift) return false;
        offset = sign * *shift;
    }
    constexpr int day = 24 * 60;
    const int utc = (*minutes - offset + day) % day;
    return *second < 60 || utc == day - 1;  // leap seconds come just before midnight
}

/// Numbers with units in their order: 1Y, 2M and 3D of "YMD". How many there were; nothing if they break the form.
std::optional<int> take_units(Scanner& scan, std::string_view units)
{
    int count = 0;
    std::size_t next = 0;
    while (!scan.done() && is_digit(scan.rest().front())) {
        scan.take_while(is_digit);
        const auto unit = scan.done() ? std::string_view::npos : units.find(scan.rest().front(), next);
        if (unit == std::string_view::npos || (count > 0 && unit != next)) return std::nullopt;  // none is left out
        scan.take(units);
        next = unit + 1;
        ++count;
    }
    return count;
}

}  // namespace

bool is_date(std::string_view text)
{
    Scanner scan(text);
    return take_date(scan) && scan.done();
}

bool is_time(std::string_view text)
{
    Scanner scan(text);
    return take_time(scan) && scan.done();
}

bool is_date_time(std::string_view text)
{
    Scanner scan(text);
    return take_date(scan) && scan.take("tT") && take_time(scan) && scan.done();
}

bool is_duration(std::string_view text)
{
    Scanner scan(text);
    if (!scan.take("P")) return false;
    if (text.ends_with('W')) return scan.take_while(is_digit) > 0 && scan.rest() == "W";
    const auto days = take_units(scan, "YMD");
    if (!days) return false;
    if (scan.done()) return *days > 0;
    if (!scan.take("T")) return false;
    const auto hours = take_units(scan, "HMS");
    return hours && *hours > 0 && scan.done();
}

}  // namespace cadre::schema
