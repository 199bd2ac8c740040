#include "home/project/usual_model.hpp"

#include "base/error.hpp"
#include "home/project/project.hpp"
#include "home/project/provider_status.hpp"
#include "model/providers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace cadre::home {
namespace {

/// Of those whose key is set and who were not told which model: good enough for most things, and not the dearest.
struct Usual {
    std::string_view provider, model;
};
constexpr Usual kUsual[] = {
    {"deepseek", "deepseek-chat"},  {"openai", "gpt-5-mini"}, {"anthropic", "claude-sonnet-5-5"},
    {"gemini", "gemini-3.5-flash"}, {"xai", "grok-4.6"},      {"groq", "openai/gpt-oss-120b"},
};

}  // namespace

UsualModel usual_model(const Project& project)
{
    std::string without_model;  // set up, and whoever set it up must say which of its models
    for (const ProviderStatus& provider : all_providers(project)) {
        if (!provider.is_configured() || !provider.problem.empty()) continue;
        const auto usual = std::ranges::find(kUsual, provider.name(), &Usual::provider);
        if (usual != std::end(kUsual))
            return {fmt::format("{}/{}", usual->provider, usual->model),
                    provider.has_key() ? provider.setup.key_variable + " is set" : "it is set up"};
        if (without_model.empty()) without_model = provider.name();
    }
    if (!without_model.empty())
        throw Error(Code::invalid,
                    fmt::format("no model is configured: {0} is set up, but not which of its models; give one with "
                                "--model {0}/MODEL, or in the variable CADRE_MODEL",
                                without_model),
                    {"to see what it serves", fmt::format("models {} --live", without_model)});
    return {std::string(model::kLocal),
            "no provider's key is set: it quotes, calculates and calls tools, and generates nothing"};
}

}  // namespace cadre::home
