#include "net/descriptor_limit.hpp"

#include <algorithm>
#include <sys/resource.h>

namespace cadre::net {

namespace {

/// Some containers allow a thousand million.
constexpr rlim_t kMost = 1 << 17;

std::optional<std::uint64_t> earlier;

}  // namespace

void raise_descriptor_limit()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = std::min(limit.rlim_max, kMost);
    if (limit.rlim_cur <= before || ::setrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    earlier = before;
}

std::optional<std::uint64_t> earlier_descriptor_limit()
{
    return earlier;
}

}  // namespace cadre::net
