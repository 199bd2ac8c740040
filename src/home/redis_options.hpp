// Which Redis a home copies its tasks to.
#pragma once

#include "home/project/trust.hpp"
#include "net/redis.hpp"

#include <optional>
#include <vector>

namespace cadre::home {

/// As the project's settings have it; nothing: they name none. Throws Error(invalid) for one on another machine that could be listened
/// to or that asks for no password, unless the settings want exactly that.
std::optional<net::RedisOptions> redis_options(const Project& project);

/// That the project's own file names it, and not whoever runs it here.
std::vector<Want> redis_wants(const Project& project);

}  // namespace cadre::home
