#include "home/project/prepare_task.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/utf8.hpp"
#include "config/check.hpp"
#include "config/document.hpp"
#include "config/project.hpp"
#include "engine/agent.hpp"
#include "home/models.hpp"
#include "home/project/project.hpp"
#include "model/built_in_tools.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"
#include "tools/tool.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <system_error>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;
using config::FileKind;

/// Of a task's first record, which holds the prompt.
constexpr std::size_t kMaxPrompt = 512 << 10;
constexpr double kMillisPerHour = 3'600'000;

/// A file that something is run from, and the project whose settings count for it.
struct Source {
    fs::path file;
    std::shared_ptr<const Project> project;
};

/// Names of teams or agents that a project or a home has files for.
std::vector<std::string> names_in(const fs::path& folder, const char* kind)
{
    std::vector<std::string> names;
    for (const fs::path& file : config::files_of(folder))
        if (file.parent_path().filename() == kind) names.push_back(file.stem().string());
    return names;
}

std::vector<std::string> known_in(const Project& project, const std::vector<const char*>& kinds)
{
    std::vector<std::string> known;
    for (const char* kind : kinds)
        for (const fs::path& folder : {project.folder(), project.home()})
            for (std::string& one : names_in(folder, kind)) known.push_back(std::move(one));
    return known;
}

std::string hint_for(const std::string& name, const std::vector<std::string>& known)
{
    if (const auto near = nearest(name, known)) return fmt::format("; did you mean {}?", *near);
    return known.empty() ? "" : fmt::format("; there are: {}", fmt::join(known, ", "));
}

[[noreturn]] void unknown(std::string_view what, const std::string& name, const Project& project,
                          const std::vector<const char*>& kinds)
{
    throw Error(Code::not_found,
                fmt::format("there is no {} called {}, neither in {} nor in the home{}", what, in_quotes(name),
                            project.folder().string(), hint_for(name, known_in(project, kinds))));
}

/// The file that the project's `team` names, or its team.yaml.
std::optional<fs::path> default_team(const Project& project)
{
    if (const auto& team = project.settings().team) {
        if (auto file = config::find_file(FileKind::team, *team, project.folder(), project.home())) return file;
        unknown("team", *team, project, {"teams"});
    }
    std::error_code error;
    for (const char* name : {"team.yaml", "team.yml", "team.json"})
        if (fs::is_regular_file(project.folder() / name, error)) return project.folder() / name;
    return std::nullopt;
}

Source source_of(const RunRequest& wanted, const std::shared_ptr<const Project>& here)
{
    std::error_code error;
    if (wanted.file) {
        const fs::path file = (here->place().folder / *wanted.file).lexically_normal();
        if (fs::is_regular_file(file, error)) {
            const bool is_ours = config::find_project(file.parent_path()) == here->folder();
            return {file, is_ours ? here : std::make_shared<const Project>(here->place(), file.parent_path())};
        }
    }
    const auto find = [&](FileKind kind, const std::string& name) {
        return config::find_file(kind, name, here->folder(), here->home());
    };
    if (wanted.file) {
        if (wanted.file->find('/') != std::string::npos || config::is_configuration(*wanted.file))
            throw Error(Code::not_found, *wanted.file + " does not exist");
        for (const FileKind kind : {FileKind::team, FileKind::agent, FileKind::workflow})
            if (const auto file = find(kind, *wanted.file)) return {*file, here};
        unknown("team or agent", *wanted.file, *here, {"teams", "agents"});
    }
    if (wanted.agent)
        if (const auto file = find(FileKind::agent, *wanted.agent)) return {*file, here};
    if (const auto file = default_team(*here)) return {*file, here};
    if (wanted.agent) unknown("agent", *wanted.agent, *here, {"agents"});
    throw Error(Code::invalid, "nothing to run: name a team or agent file, or work in a project that has a team",
                {"to make one", "init"});
}

// ---- what the files say ----

/// A team, and whether a person has written down its model.
struct Found {
    model::Team team{};
    bool has_model = false;
};

Found found_in(const config::Contents& contents, const fs::path& file)
{
    const config::File& read = contents.files.back();
    if (!contents.teams.empty() && contents.teams.back().file == &read) {
        const auto* fields = read.document->value.if_object();
        const auto* llm = fields ? fields->if_contains("default_llm") : nullptr;
        return {contents.teams.back().value, llm && llm->is_object() && !llm->get_object().empty()};
    }
    if (!contents.agents.empty() && contents.agents.back().file == &read) {
        const model::Agent& agent = contents.agents.back().value;
        return {model::Team{.name = agent.name, .description = agent.role, .agents = {agent}}, false};
    }
    if (read.kind == FileKind::workflow)
        throw Error(Code::unavailable,
                    fmt::format("{} is a workflow, and those run in a later version of cadre; teams and "
                                "agents work",
                                file.string()));
    throw Error(Code::invalid, fmt::format("{} is no team or agent", file.string()));
}

/// The text of a template becomes the prompt itself.
void inline_templates(model::Team& team, const Source& source)
{
    for (model::Agent& agent : team.agents) {
        if (!agent.prompt_template) continue;
        std::error_code error;
        fs::path file = source.file.parent_path() / *agent.prompt_template;
        if (!fs::is_regular_file(file, error)) file = source.project->folder() / *agent.prompt_template;
        config::Findings findings;
        agent.prompt = config::read_file(file, file.string(), findings);
        findings.raise();
        agent.prompt_template.reset();
    }
}

/// Scripts by their whole path.
void make_whole(model::LlmConfig& llm, const fs::path& folder)
{
    if (llm.provider == "script") llm.model = whole_spec("script:" + llm.model, folder).substr(llm.provider.size() + 1);
}

[[noreturn]] void no_model(const std::string& agent)
{
    throw Error(
        Code::invalid,
        fmt::format("no model is configured for {}: give one with {}, in the variable CADRE_MODEL, or as `model` in "
                    "cadre.yaml, `default_llm` in the team or `llm_config` in the agent",
                    agent, kModelsThatWork));
}

/// `--model`, then CADRE_MODEL, then what files say, the nearest first. Returns what wins over the files.
std::string choose_model(Found& found, const model::Agent& first, const RunRequest& wanted, const Source& source)
{
    const Place& place = source.project->place();
    const std::string wins = wanted.model ? *wanted.model : place.environment("CADRE_MODEL").value_or("");
    if (!wins.empty()) {
        const std::string spec = whole_spec(wins, place.folder);
        expect_model(*source.project, engine::llm_from_spec(spec));
        return spec;
    }
    if (!found.has_model && source.project->settings().model) {
        found.team.default_llm = engine::llm_from_spec(*source.project->settings().model);
        make_whole(found.team.default_llm, source.project->folder());
        found.has_model = true;
    } else {
        make_whole(found.team.default_llm, source.file.parent_path());
    }
    for (model::Agent& agent : found.team.agents)
        if (agent.llm_config) make_whole(*agent.llm_config, source.file.parent_path());
    if (!first.llm_config && !found.has_model) no_model(first.name);
    expect_model(*source.project, first.llm_config ? *first.llm_config : found.team.default_llm);
    return "";
}

/// A mistake is told as `cadre check` tells it, with its place.
void expect_checked(const fs::path& file, const Place& place)
{
    config::check({.paths = {file},
                   .current = place.folder,
                   .environment = place.environment,
                   .environment_names = place.variables})
        .findings.raise();
}

model::Agent& first_agent(model::Team& team, const RunRequest& wanted, const Source& source)
{
    if (team.agents.empty()) throw Error(Code::invalid, fmt::format("the team {} has no agents", team.name));
    if (!wanted.agent) return team.agents.front();
    const auto found = std::ranges::find(team.agents, *wanted.agent, &model::Agent::name);
    if (found != team.agents.end()) return *found;
    std::vector<std::string> names;
    for (const model::Agent& agent : team.agents) names.push_back(agent.name);
    std::string elsewhere;
    if (!wanted.file) {  // then a file of that name would have done as well
        for (std::string& name : known_in(*source.project, {"agents"})) names.push_back(std::move(name));
        elsewhere = fmt::format(", nor has {} or the home {} a file for it in agents/",
                                source.project->folder().string(), source.project->home().string());
    }
    throw Error(Code::not_found,
                fmt::format("the team {} ({}) has no agent called {}{}{}", team.name, source.file.string(),
                            in_quotes(*wanted.agent), elsewhere, hint_for(*wanted.agent, names)));
}

void expect_text(std::string_view prompt)
{
    if (prompt.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos)
        throw Error(Code::invalid, "the prompt is empty");
    for (std::string_view rest = prompt; !rest.empty();) {
        const std::size_t length = utf8_length(rest);
        if (length == 0)
            throw Error(Code::invalid,
                        fmt::format("the prompt is not UTF-8: byte {} of it", prompt.size() - rest.size() + 1));
        rest.remove_prefix(length);
    }
}

engine::Budget budget_of(const config::BudgetSettings& settings, const model::ExecutionConfig& execution)
{
    constexpr auto kMostSteps = std::int64_t{std::numeric_limits<int>::max()};
    engine::Budget budget{.tokens = settings.max_tokens,
                          .cost = settings.max_cost_usd,
                          .steps = static_cast<int>(std::min(settings.max_steps, kMostSteps)),
                          .wall_ms = std::llround(std::min(settings.max_hours, 1e9) * kMillisPerHour)};
    if (execution.max_steps) budget.steps = execution.max_steps;
    if (execution.timeout) budget.wall_ms = std::int64_t{*execution.timeout} * 1000;
    return budget;
}

/// Whoever bounds the tokens of a model without a price need not bound its dollars, though the settings do.
void expect_price(const Project& project, engine::CreateTask& task, const std::optional<engine::Budget>& given,
                  const model::LlmConfig& configured)
{
    const std::string problem =
        price_problem(project, task.model.empty() ? configured : engine::llm_from_spec(task.model));
    if (problem.empty()) return;
    if (!given || given->cost || !given->tokens) throw Error(Code::invalid, problem);
    task.budget.cost.reset();
}

model::ExecutionMode mode_of(const std::string& name)
{
    if (name == "autonomous") return model::ExecutionMode::autonomous;
    if (name == "step") return model::ExecutionMode::step;
    if (name == "hitl") return model::ExecutionMode::hitl;
    throw Error(Code::invalid, fmt::format("--mode is autonomous, step or hitl, not {}", in_quotes(name)));
}

int days_in(const std::string& text)
{
    int days = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), days);
    if (error != std::errc{} || end != text.data() + text.size() || days < 0)
        throw Error(Code::invalid, fmt::format("--retention-days is a number of days, not {}", in_quotes(text)));
    return days;
}

}  // namespace

void place_tools(model::Team& team, const fs::path& file, const Place& place)
{
    const auto is_known = [&](const std::string& name) {
        return std::ranges::find(model::kBuiltInTools, name) != std::end(model::kBuiltInTools) ||
               std::ranges::find(team.tools, name, &model::Tool::name) != team.tools.end();
    };
    for (const model::Agent& agent : team.agents)
        if (!std::ranges::all_of(agent.tools, is_known)) expect_checked(file, place);
    for (model::Tool& tool : team.tools)
        if (tool.type == model::ToolType::custom && tool.path)
            tool.path = (file.parent_path() / *tool.path).lexically_normal().string();
}

engine::Budget merged(engine::Budget budget, const engine::Budget& over)
{
    if (over.tokens) budget.tokens = over.tokens;
    if (over.cost) budget.cost = over.cost;
    if (over.steps) budget.steps = over.steps;
    if (over.wall_ms) budget.wall_ms = over.wall_ms;
    if (over.depth) budget.depth = over.depth;
    return budget;
}

void expect_prompt(const std::string& prompt)
{
    expect_text(prompt);
    if (model::to_json_text(prompt).size() > kMaxPrompt)
        throw Error(Code::too_large,
                    fmt::format("the prompt has more than {} KiB; put long texts into files", kMaxPrompt >> 10));
}

engine::CreateTask another_turn(const Project& here, const RunRequest& wanted)
{
    engine::CreateTask task{.description = wanted.prompt, .kind = wanted.kind.value_or("")};
    if (wanted.model) {
        task.model = whole_spec(*wanted.model, here.place().folder);
        expect_model(here, engine::llm_from_spec(task.model));
    }
    if (wanted.mode) task.mode = mode_of(*wanted.mode);
    if (wanted.budget) task.budget = engine::budget_from(*wanted.budget);
    if (wanted.retention_days) task.retention_days = days_in(*wanted.retention_days);
    return task;
}

PreparedTask prepare(const std::shared_ptr<const Project>& here, const RunRequest& wanted)
{
    expect_prompt(wanted.prompt);
    return prepare_team(here, wanted);
}

PreparedTask prepare_team(const std::shared_ptr<const Project>& here, const RunRequest& wanted)
{
    const std::optional<engine::Budget> over =
        wanted.budget ? std::optional(engine::budget_from(*wanted.budget)) : std::nullopt;

    const Source source = source_of(wanted, here);
    Found found = found_in(source.project->read(source.file), source.file);
    const model::Agent& first = first_agent(found.team, wanted, source);
    inline_templates(found.team, source);
    place_tools(found.team, source.file, source.project->place());

    PreparedTask work;
    work.task.agent = first.name;
    work.task.project = source.project->folder().string();
    work.task.model = choose_model(found, first, wanted, source);
    work.task.kind = wanted.kind.value_or("");
    if (wanted.retention_days) work.task.retention_days = days_in(*wanted.retention_days);
    work.task.mode = wanted.mode ? mode_of(*wanted.mode) : found.team.execution_config.mode;
    work.task.budget = budget_of(source.project->settings().budget, found.team.execution_config);
    if (over) work.task.budget = merged(work.task.budget, *over);
    if (work.task.budget.cost)
        expect_price(*source.project, work.task, over, first.llm_config.value_or(found.team.default_llm));
    work.task.description = wanted.prompt;
    if (found.team.agents.size() > 1)
        work.notes.push_back(fmt::format("only agent {} runs; handoffs are not supported yet", first.name));
    work.task.team = std::move(found.team);
    return work;
}

}  // namespace cadre::home
