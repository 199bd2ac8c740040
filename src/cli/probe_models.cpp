// Keys of providers, and servers of one's own that a variable names.
#include "cli/probe_models.hpp"

#include "base/error.hpp"
#include "base/plural.hpp"
#include "cli/here.hpp"
#include "home/project/provider_status.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::cli {
namespace {

constexpr Millis kLocalLimit{1000};

Finding look_at_keys()
{
    try {
        return judge_keys(home::all_providers(*project_here()));
    } catch (const Error& error) {
        return {Status::warning, error.what(), "cadre check"};
    }
}

Finding look_at_local(std::string_view name)
{
    const auto all = home::all_providers(*project_here());
    const home::ProviderStatus& provider = *std::ranges::find(all, name, &home::ProviderStatus::name);
    if (!provider.problem.empty()) return {Status::warning, provider.problem, provider.fix};
    return judge_local(provider, home::reach(place_here(), {provider.setup}, kLocalLimit).front());
}

constexpr Probe kLocal[] = {
    {"ollama", [] { return look_at_local("ollama"); }},
    {"llamacpp", [] { return look_at_local("llamacpp"); }},
    {"vllm", [] { return look_at_local("vllm"); }},
    {"lmstudio", [] { return look_at_local("lmstudio"); }},
};

}  // namespace

Finding judge_keys(const std::vector<home::ProviderStatus>& providers)
{
    std::string found;
    std::uint64_t number = 0;
    for (const home::ProviderStatus& provider : providers) {
        if (!provider.has_key()) continue;
        ++number;
        found += fmt::format("{}{} {} ({})", found.empty() ? "" : ", ", provider.name(), provider.setup.key.masked(),
                             provider.setup.key_variable);
    }
    if (number == 0)
        found = "none: what works is `local`, which quotes and calls tools, a model of your own machine, and a "
                "scripted one; cadre "
                "models says more";
    return {.found = found, .value = {{"set", number}}};
}

Finding judge_local(const home::ProviderStatus& provider, const home::Reached& reached)
{
    const std::string where = fmt::format("{} ({})", provider.setup.base_url, provider.setup.url_variable);
    if (!reached.problem.empty())
        return {Status::warning, fmt::format("{}: {}", where, reached.problem),
                fmt::format("start it, or set {} to where it listens", provider.setup.url_variable)};
    return {.found = fmt::format("{} serves {}", where, plural(reached.models.size(), "model")),
            .value = {{"models", reached.models.size()}}};
}

std::vector<Probe> model_probes()
{
    std::vector<Probe> probes{{"keys", look_at_keys}};
    try {
        for (const home::ProviderStatus& provider : home::all_providers(*project_here()))
            if (provider.is_local() && !provider.setup.url_variable.empty())
                std::ranges::copy_if(kLocal, std::back_inserter(probes),
                                     [&](const Probe& probe) { return probe.name == provider.name(); });
    } catch (const Error&) {
        // the check of the keys says why
    }
    return probes;
}

}  // namespace cadre::cli
