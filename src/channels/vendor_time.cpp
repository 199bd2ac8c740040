#include "channels/vendor_time.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <vector>

namespace cadre::channels {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

std::optional<std::int64_t> number_from(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
    return number;
}

std::vector<std::string_view> split(std::string_view text, char at)
{
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(at), text.size());
        if (end > 0) parts.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

}  // namespace

std::optional<Time> time_from_mail_date(std::string_view text)
{
    using namespace std::chrono;
    const auto parts = split(text, ' ');
    if (parts.size() != 6 || parts[5] != "+0000") return std::nullopt;
    const auto day_number = number_from(parts[1]), year_number = number_from(parts[3]);
    const auto* month_name = std::ranges::find(kMonths, parts[2]);
    const auto clock = split(parts[4], ':');
    if (!day_number || !year_number || month_name == kMonths.end() || clock.size() != 3) return std::nullopt;
    const auto h = number_from(clock[0]), m = number_from(clock[1]), s = number_from(clock[2]);
    if (!h || !m || !s || *h > 23 || *m > 59 || *s > 60 || *year_number > 9999) return std::nullopt;
    const year_month_day date{year(static_cast<int>(*year_number)),
                              month(static_cast<unsigned>(month_name - kMonths.begin() + 1)),
                              day(static_cast<unsigned>(std::min<std::int64_t>(*day_number, 99)))};
    if (!date.ok()) return std::nullopt;
    return Time(sys_days(date).time_since_epoch() + hours(*h) + minutes(*m) + seconds(*s));
}

std::string mail_date_of(Time time)
{
    using namespace std::chrono;
    const auto day_start = floor<days>(time);
    const year_month_day date(day_start);
    const hh_mm_ss clock(floor<seconds>(time - day_start));
    return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} +0000", kDays[weekday(day_start).c_encoding()],
                       static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
                       static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(),
                       clock.seconds().count());
}

std::optional<Time> time_from_seconds(std::string_view text)
{
    constexpr std::int64_t kYear9999 = 253'402'300'799;
    const auto number = number_from(text);
    if (!number || *number > kYear9999) return std::nullopt;
    return Time(std::chrono::seconds(*number));
}

std::optional<Millis> retry_after_in(const net::HttpHeaders& headers)
{
    const auto value = net::find_header(headers, "Retry-After");
    const auto seconds = value ? number_from(*value) : std::nullopt;
    if (!seconds) return std::nullopt;
    return Millis(std::clamp<std::int64_t>(*seconds, 1, 3600) * 1000);
}

}  // namespace cadre::channels
