#include "server/rate_settings.hpp"

#include "server/route.hpp"
#include "server/routes/routes.hpp"

#include <algorithm>

namespace cadre::server {
namespace {

bool is_rate_class(std::string_view name)
{
    for (int i = 0; i < static_cast<int>(RateClass::exempt); ++i)
        if (name_of(static_cast<RateClass>(i)) == name) return true;
    return false;
}

constexpr std::string_view kUser = "user/";

/// Of one that can be refused for coming too often.
bool is_route(std::string_view name)
{
    static const std::vector<Route> routes = all_routes();
    const auto is_it = [name](const Route& route) { return route.name == name && route.rate != RateClass::exempt; };
    return std::ranges::any_of(routes, is_it);
}

Rate rate_from(const config::RateSetting& setting)
{
    return {setting.requests, Millis(setting.seconds * 1'000LL)};
}

}  // namespace

std::vector<std::string> faults_of(const config::RateSettings& settings)
{
    std::vector<std::string> faults;
    for (const auto& [name, rate] : settings)
        if (!is_rate_class(name) && !name.starts_with(kUser) && !is_route(name))
            faults.push_back(
                "server.rates." + name +
                " is not a class of requests (read, write, create, stream, heavy, admin, sign_in), nor a route's "
                "name as /openapi.json has it, nor user/NAME");
    return faults;
}

Rate rate_of(RateClass rate_class, const config::RateSettings& settings)
{
    const config::RateSetting* const wanted = settings.find(name_of(rate_class));
    return wanted ? rate_from(*wanted) : default_rate(rate_class);
}

BucketOf bucket_of(const Route& route, std::string_view subject, const config::RateSettings& settings)
{
    const std::string user = std::string(kUser) + std::string(subject);
    if (const auto* const own = settings.find(user); own && !subject.empty()) return {rate_from(*own), "/" + user};
    if (const auto* const own = settings.find(route.name)) return {rate_from(*own), "/" + std::string(route.name)};
    return {rate_of(route.rate, settings), ""};
}

}  // namespace cadre::server
