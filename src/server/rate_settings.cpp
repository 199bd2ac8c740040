#include "server/rate_settings.hpp"

namespace cadre::server {
namespace {

bool is_rate_class(std::string_view name)
{
    for (int i = 0; i < static_cast<int>(RateClass::exempt); ++i)
        if (name_of(static_cast<RateClass>(i)) == name) return true;
    return false;
}

}  // namespace

std::vector<std::string> faults_of(const config::RateSettings& settings)
{
    std::vector<std::string> faults;
    for (const auto& [name, rate] : settings)
        if (!is_rate_class(name))
            faults.push_back("server.rates." + name +
                             " is not a class of requests: read, write, create, stream, heavy, admin, sign_in");
    return faults;
}

Rate rate_of(RateClass rate_class, const config::RateSettings& settings)
{
    const config::RateSetting* const wanted = settings.find(name_of(rate_class));
    return wanted ? Rate{wanted->requests, Millis(wanted->seconds * 1'000LL)} : default_rate(rate_class);
}

}  // namespace cadre::server
