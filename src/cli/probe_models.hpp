// What doctor thinks of the models that can be used.
#pragma once

#include "cli/probe.hpp"

#include <vector>

namespace cadre::cli {

struct ProviderHere;
struct Reached;

Finding judge_keys(const std::vector<ProviderHere>& providers);
/// Of a server whose address a variable gives.
Finding judge_local(const ProviderHere& provider, const Reached& reached);

}  // namespace cadre::cli
