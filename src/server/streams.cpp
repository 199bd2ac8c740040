#include "server/streams.hpp"

#include "base/async.hpp"
#include "base/random.hpp"
#include "home/home_owner.hpp"
#include "server/problem.hpp"
#include "server/service.hpp"

#include <fmt/core.h>

namespace cadre::server {
namespace {

[[noreturn]] void refuse_stream(const char* reason, const std::string& whose, std::size_t most)
{
    throw Refusal(429, Code::rate_limited, reason,
                  fmt::format("{} has {} streams open, which is as many as there may be; close one", whose, most));
}

void leave(std::map<std::string, std::size_t>& counts, const std::string& name)
{
    const auto place = counts.find(name);
    if (--place->second == 0) counts.erase(place);
}

}  // namespace

Streams::Streams(Service& service, StreamLimits limits)
    : limits_(limits),
      feed_(service.home.runtime().host().hub(), service.home.runtime().store(), limits.feed),
      tickets_(system_random()),
      gauge_(service.metrics.gauge("cadre_streams", "Streams that are open.")),
      ends_(service.metrics.counters("cadre_stream_closed_total", "Streams that have ended.", {"reason"})),
      scope_(service.loop)
{
    scope_.spawn(tell_of_drain(service));
}

/// Everybody who waits for a task looks up, and sees that the server leaves.
Async<> Streams::tell_of_drain(Service& service)
{
    while (!service.draining) co_await service.drained.wait();
    feed_.wake_all();
}

Streams::Place::Place(Streams& streams, const engine::Principal& by)
    : streams_(streams), tenant_(by.tenant), user_(by.tenant + "/" + by.subject)
{
    const StreamLimits& limits = streams.limits_;
    const auto has = [](const auto& counts, const std::string& name) {
        const auto found = counts.find(name);
        return found == counts.end() ? 0 : found->second;
    };
    if (streams.open_ >= limits.all) refuse_stream("streams_of_server", "the server", limits.all);
    if (has(streams.of_tenants_, tenant_) >= limits.of_tenant)
        refuse_stream("streams_of_tenant", "your tenant", limits.of_tenant);
    if (has(streams.of_users_, user_) >= limits.of_user) refuse_stream("streams_of_user", "you", limits.of_user);
    ++streams.open_;
    ++streams.of_tenants_[tenant_];
    ++streams.of_users_[user_];
    streams.gauge_.add(1);
}

Streams::Place::~Place()
{
    --streams_.open_;
    leave(streams_.of_tenants_, tenant_);
    leave(streams_.of_users_, user_);
    streams_.gauge_.add(-1);
}

}  // namespace cadre::server
