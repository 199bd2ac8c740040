#include "home/project/resolve_models.hpp"

#include "base/error.hpp"
#include "config/given_llm.hpp"
#include "config/named_files.hpp"
#include "config/read_into.hpp"
#include "engine/agent.hpp"
#include "home/models.hpp"
#include "home/project/project.hpp"
#include "home/project/usual_model.hpp"
#include "llm/endpoint.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;
using config::GivenLlm;
using config::PathSteps;

/// Where a model is written down.
struct WrittenAt {
    const config::File* file = nullptr;
    PathSteps path{};
};

/// What a level says, with what those under it say.
struct ModelLevel {
    GivenLlm all{};
    WrittenAt at{};  // of the nearest that says which model it is
};

const boost::json::value* find_value(const config::File& file, const PathSteps& path)
{
    const config::Found found = config::find(file.document->value, file.document->root, path);
    return found.exact ? found.value : nullptr;
}

class TeamModels {
public:
    TeamModels(const config::File& file, const Project& project, config::Findings* findings)
        : file_(file), project_(project), findings_(findings)
    {}

    std::optional<config::Finding> resolve(model::Team& team, bool is_agent)
    {
        const ModelLevel under = project_level();
        const ModelLevel base = is_agent ? under : level(team.default_llm, {"default_llm"}, under);
        team.default_llm = looked_at(base);
        std::optional<config::Finding> lacking;
        for (std::size_t i = 0; i < team.agents.size(); ++i) {
            model::Agent& agent = team.agents[i];
            const PathSteps path = is_agent ? PathSteps{} : PathSteps{"agents", i};
            ModelLevel own = agent.llm_config ? agent_level(*agent.llm_config, path, base) : base;
            if (!own.all.is_whole() && !is_half_ && findings_) {
                if (!lacking) lacking = no_model(agent.name, is_agent ? PathSteps{} : PathSteps{"default_llm"});
                take_usual(own);
                agent.llm_config = own.all.config;
            }
            if (!agent.temperature) agent.temperature = own.all.config.temperature;  // its default, too (AGENT-25)
            if (findings_ && own.all.is_whole() && !takes_temperature(own.all.config))
                warn_of_temperature(own.all.config, path);
            if (agent.llm_config) agent.llm_config = looked_at(own);
        }
        if (!usual_.empty() && !base.all.is_whole())  // who judges speaks with it
            team.default_llm = config::merged(base.all, config::given_spec(usual_)).config;
        return lacking;
    }

private:
    ModelLevel project_level() const
    {
        const auto& spec = project_.settings().model;
        if (!spec) return {};
        const auto& settings = project_.contents().settings;
        return {.all = config::given_spec(*spec),
                .at = {settings.empty() ? nullptr : settings.front().file, {"model"}}};
    }

    ModelLevel level(const model::LlmConfig& config, const PathSteps& path, const ModelLevel& under)
    {
        return level_of(config::given_llm(config, find_value(file_, path)), path, under);
    }

    /// With the names of document 000 a part of it is in `ext`.
    ModelLevel agent_level(const model::LlmConfig& config, const PathSteps& path, const ModelLevel& under)
    {
        GivenLlm given = config::given_llm(config, find_value(file_, config::joined(path, {"llm_config"})));
        const GivenLlm more = config::given_llm(config, find_value(file_, config::joined(path, {"ext", "llm_config"})));
        given.fields.insert(more.fields.begin(), more.fields.end());
        return level_of(given, config::joined(path, {"llm_config"}), under);
    }

    ModelLevel level_of(const GivenLlm& given, const PathSteps& path, const ModelLevel& under)
    {
        const std::string fault =
            config::pair_fault(given, under.all, [&](std::string_view model) { return owner_of(model); });
        if (!fault.empty()) {
            is_half_ = true;
            tell({&file_, path}, fault);
        }
        const bool names_one = given.has("provider") || given.has("model") || given.has("base_url");
        return {.all = config::merged(given, under.all), .at = names_one ? WrittenAt{&file_, path} : under.at};
    }

    bool takes_temperature(const model::LlmConfig& llm) const
    {
        const model::Provider* provider = project_.providers().providers.find(llm.provider);
        return !provider || llm::facts_of(*provider, llm.model).temperature;
    }

    /// What is written and not sent is told.
    void warn_of_temperature(const model::LlmConfig& llm, const PathSteps& agent)
    {
        for (const PathSteps& path :
             {config::joined(agent, {"temperature"}), config::joined(agent, {"llm_config", "temperature"}),
              PathSteps{"default_llm", "temperature"}}) {
            const config::Found found = config::find(file_.document->value, file_.document->root, path);
            if (!found.exact || found.value->is_null()) continue;
            return findings_->warn(file_.shown, found.place->at,
                                   fmt::format("{}: {} takes none, so none is sent; leave it out",
                                               model::path_text(path), engine::model_spec(llm)));
        }
    }

    void tell(const WrittenAt& at, const std::string& fault)
    {
        if (!findings_) return;
        if (at.file) config::report(at.path, fault, *at.file->document, *findings_);
        else findings_->error(std::string(config::kEnvironment), config::kNowhere, fault);
    }

    std::string owner_of(std::string_view model) const
    {
        for (const auto& [name, provider] : project_.providers().providers)
            if (provider.models.find(model)) return name;
        return {};
    }

    /// Scripts by their whole paths; each model that cannot be had is told about at the place that names it.
    model::LlmConfig looked_at(const ModelLevel& level)
    {
        model::LlmConfig llm = level.all.config;
        const fs::path by = level.at.file ? level.at.file->path : project_.folder() / "cadre.yaml";
        if (is_script(llm.provider)) llm.model = script_of(llm.model, by);
        for (std::string& spec : llm.fallback) {
            const model::LlmConfig other = engine::llm_from_spec(spec);
            if (is_script(other.provider)) spec = fmt::format("{}:{}", other.provider, script_of(other.model, by));
        }
        if (!findings_ || !level.all.is_whole()) return llm;
        expect(llm, level.at);
        for (const std::string& spec : llm.fallback) expect(engine::llm_from_spec(spec), level.at);
        return llm;
    }

    /// Beside the file that names it, then in the project, as all that files name; but it may be anywhere.
    std::string script_of(const std::string& script, const fs::path& by) const
    {
        std::error_code error;
        const fs::path beside = (by.parent_path() / script).lexically_normal();
        const fs::path inside = (project_.folder() / script).lexically_normal();
        return (fs::exists(inside, error) && !fs::exists(beside, error) ? inside : beside).string();
    }

    void expect(const model::LlmConfig& llm, const WrittenAt& at)
    {
        if (!looked_at_.insert(engine::model_spec(llm)).second) return;
        try {
            expect_model(project_, llm);
        } catch (const Error& error) {
            if (error.code() != Code::unauthorized || !at.file) return tell(at, error.what());
            const auto found = config::find(at.file->document->value, at.file->document->root, at.path);
            findings_->note(at.file->shown, found.place->at, model::path_text(at.path) + ": " + error.what());
        }
    }

    /// What works instead where nobody says which; an error where that cannot be told.
    config::Finding no_model(const std::string& agent, const PathSteps& path)
    {
        const config::Found found = config::find(file_.document->value, file_.document->root, path);
        config::Finding finding{.file = file_.shown, .at = found.place->at, .text = ""};
        const std::string who =
            fmt::format("{}no model is configured for {}", path.empty() ? "" : model::path_text(path) + ": ", agent);
        try {
            const UsualModel usual = usual_model(project_);
            usual_ = usual.spec;
            finding.severity = config::Severity::note;
            finding.text =
                fmt::format("{}, so {} works ({}); to choose one: --model, CADRE_MODEL, or `model` in cadre.yaml", who,
                            usual.spec, usual.why);
        } catch (const Error& error) {
            finding.text = fmt::format("{}: {}", who, error.what());
            finding.hint = error.hint();
        }
        return finding;
    }

    void take_usual(ModelLevel& own) const
    {
        if (usual_.empty()) return;
        own.all = config::merged(own.all, config::given_spec(usual_));
        own.at = {};
    }

    const config::File& file_;
    const Project& project_;
    config::Findings* findings_;
    std::set<std::string> looked_at_;
    std::string usual_{};   // the model where nobody says which
    bool is_half_ = false;  // a pair was, which was told about
};

}  // namespace

std::optional<config::Finding> resolve_models(model::Team& team, const config::File& file, const Project& project,
                                              config::Findings* findings)
{
    return TeamModels(file, project, findings).resolve(team, file.kind == config::FileKind::agent);
}

}  // namespace cadre::home
