// Time: UTC wall time to the millisecond, monotonic instants for deadlines, durations; ISO 8601 in and out (C-27).
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace cadre {

using Millis = std::chrono::milliseconds;

/// A moment in UTC, as people and files know it. It may jump when the machine's clock is set.
using Time = std::chrono::sys_time<Millis>;

/// A moment of a clock that never jumps. Only differences mean something; deadlines are of this type.
struct Monotonic {
    using rep = std::chrono::nanoseconds::rep;
    using period = std::nano;
    using duration = std::chrono::nanoseconds;
    using time_point = std::chrono::time_point<Monotonic>;
    static constexpr bool is_steady = true;
};
using Instant = Monotonic::time_point;

/// "No deadline".
inline constexpr Instant kNever = Instant::max();

/// `from` and `duration` later; kNever instead of an overflow, so that Millis::max() means "no limit".
Instant later(Instant from, Millis duration);

/// Where time comes from. The simulator has its own.
class Clock {
public:
    virtual ~Clock() = default;
    virtual Time now() const = 0;
    virtual Instant instant() const = 0;
};

/// The machine's clock; safe from any thread.
const Clock& system_clock();

/// `2025-01-15T10:30:05Z`, with `.mmm` only when the milliseconds are not zero. Years 0000 to 9999.
std::string to_iso(Time time);

/// Reads ISO 8601 date-times: `T` or a space between date and time, seconds with 1 to 9 decimals (cut to milliseconds),
/// `Z`, an offset (`+02:00`, `+0200`, `+02`) or none, which means UTC. Throws Error(malformed) that quotes the input.
Time time_from_iso(std::string_view text);

/// Reads `250ms`, `30s`, `5m`, `2h`, `7d`, `1h30m`; a bare number is refused, because its unit is a guess.
Millis duration_from(std::string_view text);

/// For people: `250 ms`, `1.5 s`, `2 min 5 s`, `3 h 10 min`, `4 d 2 h`.
std::string to_text(Millis duration);

}  // namespace cadre
