// Providers as they are set up where a command runs: addresses, keys, what is known of their models, and whether they answer.
#pragma once

#include "base/time.hpp"
#include "llm/endpoint.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::home {

class Project;
struct Place;

struct ModelStatus {
    std::string name{};
    model::ProviderModel facts{};
    std::string_view source{};
};

struct ProviderStatus {
    llm::Endpoint setup{};
    std::string_view source{};  // "built in", "home", "project": who spoke last about it
    std::vector<ModelStatus> models{};
    std::string problem{};  // why it cannot be asked; empty: it can
    std::string fix{};

    const std::string& name() const { return setup.provider; }
    bool has_key() const { return !setup.key.empty(); }
    /// Whether somebody has done something about it.
    bool is_configured() const { return has_key() || !setup.url_variable.empty() || source != "built in"; }
    /// Whether it is a server of one's own, which needs no key.
    bool is_local() const { return !setup.vendor.needs_key; }
};

/// All that are known, in the order of providers.json. Throws Error(invalid) with what is wrong in config/providers.yaml.
std::vector<ProviderStatus> all_providers(const Project& project);

/// What came of asking an endpoint for its models.
struct Reached {
    std::vector<std::string> models{};
    std::string problem{};  // empty: it answered
    Millis took{};
};

/// All at once; each has so long to answer.
std::vector<Reached> reach(const Place& place, const std::vector<llm::Endpoint>& endpoints, Millis limit);

}  // namespace cadre::home
