// Times of many repetitions, and which of them is the usual and which the slow one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include <sys/resource.h>

namespace cadre::bench {

using SteadyClock = std::chrono::steady_clock;

inline double seconds_since(SteadyClock::time_point start)
{
    return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

inline double cpu_seconds(const rusage& used)
{
    const auto seconds = [](const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Of this process, all its threads, user and system.
inline double cpu_seconds()
{
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    return cpu_seconds(used);
}

inline double median(std::vector<double> numbers)
{
    std::ranges::sort(numbers);
    return numbers.at(numbers.size() / 2);
}

class Samples {
public:
    void add(double seconds) { seconds_.push_back(seconds); }
    void clear() { seconds_.clear(); }
    std::size_t size() const { return seconds_.size(); }

    /// In milliseconds; `part` 0.5 is the median.
    double ms(double part)
    {
        if (seconds_.empty()) return 0;
        const auto place = seconds_.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(size() - 1));
        std::nth_element(seconds_.begin(), place, seconds_.end());
        return *place * 1000;
    }

private:
    std::vector<double> seconds_;
};

}  // namespace cadre::bench
