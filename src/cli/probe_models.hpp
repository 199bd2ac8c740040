// What doctor thinks of the models that can be used.
#pragma once

#include "cli/probe.hpp"

#include <vector>

namespace cadre::home {
struct ProviderStatus;
struct Reached;
}  // namespace cadre::home

namespace cadre::cli {

Finding judge_keys(const std::vector<home::ProviderStatus>& providers);
/// Of a server whose address a variable gives.
Finding judge_local(const home::ProviderStatus& provider, const home::Reached& reached);

}  // namespace cadre::cli
