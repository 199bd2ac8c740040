// How often somebody may ask, where the operator wants it otherwise.
#pragma once

#include "config/access_settings.hpp"
#include "server/rate.hpp"

#include <string>
#include <vector>

namespace cadre::server {

/// Everything that is wrong with them, with the fix.
std::vector<std::string> faults_of(const config::RateSettings& settings);
/// The operator's, or else what holds by default.
Rate rate_of(RateClass rate_class, const config::RateSettings& settings);

}  // namespace cadre::server
