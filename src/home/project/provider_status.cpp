#include "home/project/provider_status.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/join.hpp"
#include "base/redact.hpp"
#include "base/run.hpp"
#include "base/timeout.hpp"
#include "config/project.hpp"
#include "home/project/project.hpp"
#include "llm/model_list.hpp"
#include "net/http_client.hpp"
#include "net/http_options.hpp"
#include "net/loop.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>

namespace cadre::home {
namespace {

/// Those that Cadre knows, with what the home says over them.
model::Providers without_project(const Project& project)
{
    config::Findings findings;
    config::Variables variables(project.place().environment, project.place().variables);
    auto read = llm::read_providers(project.home(), std::nullopt, variables, findings);
    findings.raise();
    return read;
}

template <class T>
std::string_view source_of(const T* now, const T* at_home, const T* built_in)
{
    if (!at_home || *now != *at_home) return "project";
    return built_in && *at_home == *built_in ? "built in" : "home";
}

const model::ProviderModel* model_in(const model::Provider* provider, std::string_view name)
{
    return provider ? provider->models.find(name) : nullptr;
}

void judge(ProviderStatus& here)
{
    const llm::Endpoint& setup = here.setup;
    const model::Provider& vendor = setup.vendor;
    if (setup.base_url.empty()) {
        here.problem = "its address is not known";
        here.fix = fmt::format("set {}", fmt::join(vendor.url_variables, " or "));
    } else if (vendor.needs_key && setup.key.empty() && setup.url_variable.empty() && vendor.base_url) {
        here.problem = "no key";
        here.fix = fmt::format("set {}", fmt::join(vendor.key_variables, " or "));
    }
}

Async<Reached> ask(net::Http& http, llm::Endpoint endpoint, Millis limit)
{
    const Context& context = co_await this_context();
    const Instant begin = context.loop->now();
    Reached reached;
    try {
        const std::string what = fmt::format("{} at {}", endpoint.provider, endpoint.base_url);
        reached.models = co_await with_timeout(llm::list_models(http, endpoint), limit, what);
    } catch (const Error& error) {
        reached.problem = redact(error.what());
    }
    reached.took = std::chrono::duration_cast<Millis>(context.loop->now() - begin);
    co_return reached;
}

Async<std::vector<Reached>> ask_all(net::Http& http, const std::vector<llm::Endpoint>& endpoints, Millis limit)
{
    std::vector<Async<Reached>> asked;
    for (const llm::Endpoint& endpoint : endpoints) asked.push_back(ask(http, endpoint, limit));
    co_return co_await all(std::move(asked));
}

}  // namespace

std::vector<ProviderStatus> all_providers(const Project& project)
{
    const config::Environment variables = project.variables();
    const model::Providers& built_in = model::built_in_providers();
    const model::Providers at_home = without_project(project);
    const model::Providers& providers = project.providers();

    std::vector<ProviderStatus> list;
    for (const auto& [name, provider] : providers.providers) {
        const model::Provider* home = at_home.providers.find(name);
        const model::Provider* own = built_in.providers.find(name);
        ProviderStatus here{.source = source_of(&provider, home, own)};
        try {
            here.setup = llm::setup_of(providers, name, variables);
            judge(here);
        } catch (const Error& error) {
            here.setup = {.provider = name, .vendor = provider};
            here.problem = error.what();
        }
        for (const auto& [model, facts] : provider.models)
            here.models.push_back({.name = model,
                                   .facts = llm::facts_of(provider, model),
                                   .source = source_of(&facts, model_in(home, model), model_in(own, model))});
        list.push_back(std::move(here));
    }
    return list;
}

std::vector<Reached> reach(const Place& place, const std::vector<llm::Endpoint>& endpoints, Millis limit)
{
    net::Loop loop;
    net::HttpClient http(loop, net::http_options(place.environment));
    return cadre::run(loop, ask_all(http, endpoints, limit));
}

}  // namespace cadre::home
