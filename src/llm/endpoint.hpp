// One model at one address: all that is needed to ask it.
#pragma once

#include "base/secret.hpp"
#include "base/time.hpp"
#include "config/variables.hpp"
#include "model/llm.hpp"
#include "model/providers.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm {

struct Endpoint {
    std::string provider{};
    std::string model{};  // its name at the provider
    std::string base_url{};
    model::Provider vendor{};
    model::ProviderModel facts{};
    std::string url_variable{};  // where the address comes from, when a variable says it
    Secret key{};
    std::string key_variable{};           // where the key comes from, or should
    std::vector<Secret> other_secrets{};  // in its headers; alive, so that nothing repeats them
    Millis silence{30'000};               // that is borne

    std::string spec() const { return provider + '/' + model; }
};

/// What the provider knows of a model: by its name, by that of which it is a dated version, or what holds for all others.
model::ProviderModel facts_of(const model::Provider& provider, std::string_view model);

/// Those that Cadre knows, with config/providers.yaml of the home, then of the project, over them. What is wrong with these
/// goes to `findings`, and then they count for nothing.
model::Providers read_providers(const std::filesystem::path& project, const std::optional<std::filesystem::path>& home,
                                config::Variables& variables, config::Findings& findings);

/// A provider that `providers` has, as it is set up: its address or its key may be missing. Throws Error for an address that is
/// none.
Endpoint setup_of(const model::Providers& providers, const std::string& provider,
                  const config::Environment& environment);

/// Throws Error: not_found for a provider that nobody knows and that has no base_url, unauthorized for a key that is missing
/// (and says which variable to set), invalid for an address that is none.
Endpoint endpoint_of(const model::Providers& providers, const model::LlmConfig& config,
                     const config::Environment& environment);
/// `provider/model` or `provider:model`; `llamacpp/http://127.0.0.1:8081` asks whatever is served there.
Endpoint endpoint_of(const model::Providers& providers, std::string_view spec, const config::Environment& environment);

}  // namespace cadre::llm
