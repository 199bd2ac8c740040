#include "base/crash_at.hpp"

#include "base/crash_point.hpp"
#include "base/error.hpp"

#include <atomic>
#include <charconv>
#include <csignal>
#include <string>
#include <unistd.h>

namespace cadre {
namespace {

struct Plan {
    std::string point{};
    std::atomic<int> left = 0;
};

Plan& plan()
{
    static Plan one;
    return one;
}

void reached(const char* point)
{
    if (plan().point == point && --plan().left == 0) ::kill(::getpid(), SIGKILL);
}

}  // namespace

void crash_at(std::string_view place)
{
    const std::size_t colon = place.rfind(':');
    const std::string_view count = colon == place.npos ? "" : place.substr(colon + 1);
    int times = 0;
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), times);
    if (error != std::errc{} || end != count.data() + count.size() || times < 1)
        throw Error(Code::invalid, "CADRE_CRASH_AT is POINT:N, not " + in_quotes(place));
    plan().point = place.substr(0, colon);
    plan().left = times;
    crash_hook = reached;
}

}  // namespace cadre
