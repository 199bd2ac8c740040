#include "home/models.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/sha256.hpp"
#include "base/suggest.hpp"
#include "config/document.hpp"
#include "config/project.hpp"
#include "engine/agent.hpp"
#include "engine/commands.hpp"
#include "home/project/project.hpp"
#include "home/project/trust.hpp"
#include "llm/http_model.hpp"
#include "llm/key_gate.hpp"
#include "llm/script.hpp"
#include "model/read.hpp"
#include "model/write.hpp"
#include "net/http_client.hpp"
#include "net/http_options.hpp"
#include "net/loop.hpp"

#include <fmt/core.h>

#include <boost/json.hpp>
#include <optional>
#include <unistd.h>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;

/// Nobody else is asked, and nobody bills it.
bool is_ours(const model::LlmConfig& config)
{
    return is_script(config.provider) || is_local(config.provider) || config.provider == kFunction;
}

std::shared_ptr<llm::ScriptModel> script_from(const model::LlmConfig& config)
{
    if (config.model.empty())
        throw Error(Code::invalid, fmt::format("the model {} names no file; what works: {}", in_quotes(config.provider),
                                               kModelsThatWork));
    return llm::ScriptModel::from_file(fs::path(config.model));
}

/// `local/llama3`: somebody means a server of their own.
void expect_local(const model::LlmConfig& config)
{
    if (config.model.empty() || config.model == model::kLocal) return;
    throw Error(
        Code::invalid,
        fmt::format("the model local is in Cadre itself and has no other name; write local alone, or, for a server of "
                    "your own, ollama/{}",
                    config.model));
}

llm::Endpoint endpoint_of(const Project& project, const model::LlmConfig& config)
{
    const std::string spec = config.model.empty() ? config.provider : engine::model_spec(config);
    if (config::is_configuration(spec))
        throw Error(Code::invalid,
                    fmt::format("there is no model called {}; did you mean script:{}?", in_quotes(spec), spec));
    if (config.model.empty())
        throw Error(Code::invalid, fmt::format("{} names no model; write provider/model, like openai/gpt-5-mini",
                                               in_quotes(config.provider)));
    return llm::endpoint_of(project.providers(), config, project.variables());
}

}  // namespace

bool is_local(std::string_view provider)
{
    return provider == model::kLocal;
}

bool is_script(std::string_view provider)
{
    return provider == "script" || provider == "replay";
}

std::string whole_spec(std::string_view spec, const fs::path& folder)
{
    const auto [provider, file] = model::split_model_name(spec);  // `script:FILE` and `script/FILE` are the same
    if (!is_script(provider) || file.empty()) return std::string(spec);
    return fmt::format("{}:{}", provider, (folder / fs::path(file)).lexically_normal().string());
}

void expect_model(const Project& project, const model::LlmConfig& config)
{
    if (is_script(config.provider)) script_from(config);
    else if (is_local(config.provider)) expect_local(config);
    else if (config.provider != kFunction) endpoint_of(project, config);
}

std::string price_problem(const Project& project, const model::LlmConfig& config)
{
    if (is_ours(config)) return "";
    const llm::Endpoint endpoint = endpoint_of(project, config);
    if (endpoint.facts.input_price && endpoint.facts.output_price) return "";
    std::vector<std::string> known;
    for (const auto& [name, facts] : endpoint.vendor.models) known.push_back(name);
    const auto near = nearest(endpoint.model, known);
    return fmt::format("no price is known for {}, so a dollar budget cannot be enforced; {}write its prices into "
                       "config/providers.yaml, or give a budget in tokens instead: --budget 20000tokens",
                       endpoint.spec(), near ? fmt::format("did you mean {}/{}? Else ", endpoint.provider, *near) : "");
}

/// The team of an intervention, as a task would be asked for with it; without agents where it has none.
engine::CreateTask team_in(const boost::json::object& details, std::string project)
{
    engine::CreateTask task{.project = std::move(project)};
    if (const auto* team = details.if_contains("team"))
        task.team = model::from_json<model::Team>(*team, {.limits = model::kTeamLimits});
    return task;
}

boost::json::object endpoint_fingerprints(const Project& project, const engine::CreateTask& task)
{
    std::vector<model::LlmConfig> configs;
    for (const engine::Agent& agent : engine::agents_of(task.team, task.model, task.mode))
        configs.insert(configs.end(), agent.models.begin(), agent.models.end());
    if (task.team.agents.empty() && !task.model.empty()) configs.push_back(engine::llm_from_spec(task.model));
    boost::json::object marks;
    for (const model::LlmConfig& config : configs) {
        if (is_ours(config)) continue;
        std::string mark;  // of one that cannot be reached, none
        try {
            const llm::Endpoint endpoint = endpoint_of(project, config);
            mark = to_hex(sha256(endpoint.base_url + ' ' + std::string(endpoint.key.reveal())));
        } catch (const Error&) {}
        marks[engine::model_spec(config)] = mark;
    }
    return marks;
}

fs::path project_folder(const engine::CreateTask& task, const Place& place)
{
    return task.project.empty() ? place.folder : fs::path(task.project);
}

void expect_same_endpoints(const Project& project, const boost::json::object& fingerprints,
                           const engine::CreateTask& task)
{
    for (const auto& [spec, mark] : endpoint_fingerprints(project, task)) {
        const auto* theirs = fingerprints.if_contains(spec);
        if (!theirs || *theirs == mark) continue;
        throw Error(
            Code::conflict,
            fmt::format(
                "process {} runs the tasks of this home, in {}, and reaches {} with another key or address than you do "
                "here; wait until it has ended, or set CADRE_HOME to a home of your own",
                ::getpid(), project.place().folder.string(), std::string_view(spec)));
    }
}

Models::Models(net::Loop& loop, Projects& projects, Log log, std::shared_ptr<llm::Model> local)
    : loop_(loop), projects_(projects), log_(std::move(log)), local_(std::move(local))
{}
Models::~Models() = default;

std::shared_ptr<llm::Model> Models::get(const model::LlmConfig& config, const Id& task, const std::string& project)
{
    if (config.provider == kFunction) return function(config.model);
    if (is_local(config.provider)) return local_;
    if (!is_script(config.provider)) return served(config, project);
    auto& script = scripts_[{task, engine::model_spec(config)}];
    if (!script) script = script_from(config);
    return script;
}

std::shared_ptr<llm::Model> Models::function(const std::string& name) const
{
    if (const auto found = functions_.find(name); found != functions_.end()) return found->second;
    throw Error(Code::unavailable,
                fmt::format("this program has no model {}/{}: it is a function that a program brings "
                            "which embeds cadre (Engine::use_model, add_model)",
                            kFunction, name));
}

std::shared_ptr<llm::Model> Models::served(const model::LlmConfig& config, const std::string& folder)
{
    const auto project = projects_.current(folder.empty() ? projects_.place().folder : fs::path(folder));
    std::shared_ptr<llm::Model>& model = served_[{project, model::to_json_text(config)}];
    if (model) return model;
    llm::Endpoint endpoint = endpoint_of(*project, config);
    // what is really used: files may have changed since the task began, and its journal may be somebody else's
    expect_trusted(*project, wants_of(*project, endpoint, config.base_url ? "the team" : "config/providers.yaml"));
    if (!http_) http_ = std::make_unique<net::HttpClient>(loop_, net::http_options(projects_.place().environment));
    llm::KeyGate& gate = gate_of(endpoint);
    model = llm::patient(std::make_shared<llm::HttpModel>(*http_, std::move(endpoint), &gate));
    return model;
}

llm::KeyGate& Models::gate_of(const llm::Endpoint& endpoint)
{
    auto& gate = gates_[endpoint.base_url + ' ' + to_hex(sha256(endpoint.key.reveal()))];
    if (!gate) gate = std::make_unique<llm::KeyGate>(endpoint.provider, loop_, system_random(), log_);
    return *gate;
}

std::vector<std::string> Models::left_over(const Id& task)
{
    std::vector<std::string> lines;
    for (auto place = scripts_.lower_bound({task, ""}); place != scripts_.end() && place->first.first == task;) {
        if (place->second)
            for (std::string& line : place->second->left_over()) lines.push_back(std::move(line));
        place = scripts_.erase(place);
    }
    return lines;
}

}  // namespace cadre::home
