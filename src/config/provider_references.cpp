// Who serves the models that agents name.
#include "base/error.hpp"
#include "base/suggest.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "model/providers.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::config {

namespace {

/// A word that documents have for the scripted model; what works is `script`, and the model is its file.
constexpr std::string_view kOldScript = "scripted";

class ModelProviders {
public:
    ModelProviders(const std::vector<std::string>& more, bool open)
        : open_(open), known_(model::provider_names().begin(), model::provider_names().end())
    {
        std::erase(known_, kOldScript);
        for (const std::string& name : more)
            if (!is_in(name)) known_.push_back(name);
    }

    void expect(std::string_view name, const File& file, const PathSteps& path, Findings& findings) const
    {
        if (!is_known(name) && find(file.document->value, file.document->root, path).exact)
            report(path, unknown(name), *file.document, findings);
    }
    void expect(const model::LlmConfig& llm, const File& file, const PathSteps& path, Findings& findings) const
    {
        if (!llm.base_url) expect(llm.provider, file, joined(path, {"provider"}), findings);
        for (std::size_t i = 0; i < llm.fallback.size(); ++i) {
            const model::ModelName name = model::split_model_name(llm.fallback[i]);
            const PathSteps place = joined(path, {"fallback", i});
            if (name.model.empty() && name.provider != model::kLocal)
                report(place, "must be provider/model, like openai/gpt-5-mini", *file.document, findings);
            else expect(name.provider, file, place, findings);
        }
    }

    bool is_known(std::string_view name) const { return open_ || is_in(name); }
    std::string unknown(std::string_view name) const
    {
        if (name == kOldScript)
            return "unknown provider \"scripted\"; for a scripted model write `script`, and the path of its file as "
                   "the "
                   "model";
        const auto near = nearest(name, known_);
        return fmt::format("unknown provider {}{}", in_quotes(name),
                           near ? fmt::format(", did you mean {}?", in_quotes(*near))
                                : fmt::format("; known are {}; any other needs its base_url, or a place in "
                                              "config/providers.yaml",
                                              fmt::join(known_, ", ")));
    }

private:
    bool is_in(std::string_view name) const { return std::ranges::find(known_, name) != known_.end(); }

    bool open_;
    std::vector<std::string> known_;
};

}  // namespace

void check_provider_references(const Contents& contents, const Environment& environment, Findings& findings)
{
    std::vector<std::string> known;
    for (const Name& name : contents.names.providers) known.push_back(name.value);
    check_provider_references(contents, known, environment, findings);
}

void check_provider_references(const Contents& contents, const std::vector<std::string>& known,
                               const Environment& environment, Findings& findings)
{
    const ModelProviders providers(known, contents.open.providers);
    for (const auto& [team, file, at] : contents.teams) {
        providers.expect(team.default_llm, *file, {"default_llm"}, findings);
        for (std::size_t i = 0; i < team.agents.size(); ++i)
            if (team.agents[i].llm_config)
                providers.expect(*team.agents[i].llm_config, *file, {"agents", i, "llm_config"}, findings);
    }
    for (const auto& [agent, file, at] : contents.agents)
        if (agent.llm_config)
            for (const PathSteps& path : {PathSteps{"llm_config"}, PathSteps{"ext", "llm_config"}})  // as 000 has it
                providers.expect(*agent.llm_config, *file, path, findings);
    for (const auto& [settings, file, at] : contents.settings)
        if (settings.model && !model::split_model_name(*settings.model).model.empty())
            providers.expect(model::split_model_name(*settings.model).provider, *file, {"model"}, findings);
    if (const auto spec = environment(variable_of("model")))
        if (const auto name = model::split_model_name(*spec); !name.model.empty() && !providers.is_known(name.provider))
            findings.error(std::string(kEnvironment), kNowhere,
                           fmt::format("{}: {}", variable_of("model"), providers.unknown(name.provider)));
}

}  // namespace cadre::config
