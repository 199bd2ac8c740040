// Of refusals that come often, the first ones of a minute are told one by one and the others counted: an audit that strangers can fill
// tells nothing.
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cadre::server {

/// Lives on its loop. `T` is what is told of those that were only counted: the first of them.
template <class T>
class RefusalMeter {
public:
    struct Counted {
        T what{};
        std::int64_t count = 0;
    };

    /// Whether this one is told by itself; otherwise it is counted with the others of the same kind.
    bool tells(const std::string& kind, const T& what, Instant now)
    {
        if (seen_.size() >= kMostKinds && !seen_.contains(kind)) return count(rest_, what);
        Minute& minute = seen_[kind];
        if (minute.told == 0) minute.begin = now;
        if (minute.told < kMostTold) {
            ++minute.told;
            return true;
        }
        return count(minute.counted, what);
    }

    /// Those whose minute is over; all of them: `now` is kNever.
    std::vector<Counted> take(Instant now)
    {
        std::vector<Counted> due;
        for (auto place = seen_.begin(); place != seen_.end();) {
            const bool over = now == kNever || now - place->second.begin >= kMinute;
            if (over && place->second.counted.count > 0) due.push_back(std::move(place->second.counted));
            place = over ? seen_.erase(place) : std::next(place);
        }
        if (rest_.count > 0) due.push_back(std::move(rest_));
        rest_ = {};
        return due;
    }

private:
    static constexpr int kMostTold = 10;
    static constexpr std::size_t kMostKinds = 10'000;
    static constexpr Millis kMinute{60'000};

    struct Minute {
        Instant begin{};
        int told = 0;
        Counted counted{};
    };

    static bool count(Counted& counted, const T& what)
    {
        if (counted.count++ == 0) counted.what = what;
        return false;
    }

    std::map<std::string, Minute> seen_;
    Counted rest_;  // of kinds for which there is no room
};

}  // namespace cadre::server
