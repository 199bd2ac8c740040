// How often somebody may ask, where the operator wants it otherwise.
#pragma once

#include "config/access_settings.hpp"
#include "server/rate.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cadre::server {

struct Route;

/// Everything that is wrong with them, with the fix.
std::vector<std::string> faults_of(const config::RateSettings& settings);
/// The operator's, or else what holds by default.
Rate rate_of(RateClass rate_class, const config::RateSettings& settings);

/// What a request takes from: the rate, and what tells its bucket from that of the class; empty: it is that of the class.
struct BucketOf {
    Rate rate{};
    std::string own{};
};
/// The person's, if the operator has given them one, else the route's, else that of its class.
BucketOf bucket_of(const Route& route, std::string_view subject, const config::RateSettings& settings);

}  // namespace cadre::server
