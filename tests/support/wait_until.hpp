// For tests of what happens without an event, such as the end of a process: looks until it has happened.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace cadre::test {

/// Whether it became true within 20 s; nothing here takes a tenth of that.
inline bool wait_until(const std::function<bool()>& true_now)
{
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!true_now()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // sleeps: polling, up to the deadline
    }
    return true;
}

}  // namespace cadre::test
