#include "llm/wire/retry_after.hpp"

#include "base/trim.hpp"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace cadre::llm {

namespace {

/// Nobody waits longer; and what is longer would not fit a deadline one day.
constexpr Millis kLongestPause = std::chrono::days{366};

std::optional<double> number_from(std::string_view text)
{
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
    return number;
}

Millis bounded(double millis)
{
    return Millis(std::llround(std::clamp(millis, 0.0, static_cast<double>(kLongestPause.count()))));
}

std::optional<int> digits(std::string_view text)
{
    int number = 0;
    if (text.empty() || !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

}  // namespace

std::optional<Time> time_from_http(std::string_view text)
{
    constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
    if (text.size() != 29 || text.substr(3, 2) != ", " || !text.ends_with(" GMT")) return std::nullopt;
    const auto day = digits(text.substr(5, 2)), year = digits(text.substr(12, 4)), hour = digits(text.substr(17, 2)),
               minute = digits(text.substr(20, 2)), second = digits(text.substr(23, 2));
    const std::size_t month = kMonths.find(text.substr(8, 3));
    if (!day || !year || !hour || !minute || !second || month == kMonths.npos || month % 3 != 0) return std::nullopt;
    if (*hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(month / 3 + 1)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return std::nullopt;
    return Time(std::chrono::sys_days(date)) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
           std::chrono::seconds(*second);
}

std::optional<Millis> retry_after_of(const net::HttpHeaders& headers, Time now)
{
    if (const auto text = net::find_header(headers, "retry-after-ms"))
        if (const auto number = number_from(trimmed(*text, " \t")); number && *number >= 0) return bounded(*number);
    const auto header = net::find_header(headers, "retry-after");
    if (!header) return std::nullopt;
    const std::string_view text = trimmed(*header, " \t");
    if (const auto number = number_from(text))
        return *number < 0 ? std::nullopt : std::optional(bounded(*number * 1000));
    if (const auto date = time_from_http(text)) return std::clamp(Millis(*date - now), Millis(0), kLongestPause);
    return std::nullopt;
}

}  // namespace cadre::llm
