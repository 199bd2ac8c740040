#include "home/project/prepare_task.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/utf8.hpp"
#include "config/project.hpp"
#include "config/references.hpp"
#include "engine/agent.hpp"
#include "engine/pattern.hpp"
#include "engine/state_change.hpp"
#include "home/models.hpp"
#include "home/project/complete_task.hpp"
#include "home/project/default_agent.hpp"
#include "home/project/prepare_route.hpp"
#include "home/project/project.hpp"
#include "home/project/resolve.hpp"
#include "home/project/trust.hpp"
#include "home/project/workflow_input.hpp"
#include "model/route_setup.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"
#include "patterns/team/criteria.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
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
    fs::path file;  // empty: nobody has written one, and the built-in assistant works
    std::shared_ptr<const Project> project;
};

/// Names of teams or agents that a project or a home has files for.
std::vector<std::string> names_in(const fs::path& folder, const char* kind)
{
    std::vector<std::string> names;
    for (const fs::path& file : config::files_of(folder))
        if (file.parent_path().filename() == kind && config::kind_by_name(file) != FileKind::test)
            names.push_back(file.stem().string());
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
                          const std::vector<const char*>& kinds, Hint hint = {})
{
    throw Error(Code::not_found,
                fmt::format("there is no {} called {}, neither in {} nor in the home{}", what, in_quotes(name),
                            project.folder().string(), hint_for(name, known_in(project, kinds))),
                std::move(hint));
}

/// The file that the project's `team` names, or its team.yaml.
std::optional<fs::path> default_team(const Project& project)
{
    if (const auto& team = project.settings().team) {
        if (auto file = config::find_file(FileKind::team, *team, project.folder(), project.home())) return file;
        config::Findings findings;
        config::check_team_setting(project.contents(), known_in(project, {"teams"}), project.place().environment,
                                   findings);
        findings.raise();
        unknown("team", *team, project, {"teams"});
    }
    std::error_code error;
    for (const char* name : {"team.yaml", "team.yml", "team.json"})
        if (fs::is_regular_file(project.folder() / name, error)) return project.folder() / name;
    return std::nullopt;
}

bool is_path(const std::string& name)
{
    return name.find('/') != std::string::npos || config::is_configuration(name);
}

void expect_names(const RunRequest& wanted)
{
    for (const auto& name : {wanted.file, wanted.workflow, wanted.agent})
        if (name && is_path(*name))
            throw Error(Code::invalid, in_quotes(*name) + " is not the name of a team, an agent or a workflow");
}

Source source_of(const RunRequest& wanted, const std::shared_ptr<const Project>& here)
{
    if (wanted.by_name) expect_names(wanted);
    std::error_code error;
    if (wanted.file && !wanted.by_name) {
        const fs::path file = (here->place().folder / *wanted.file).lexically_normal();
        if (fs::is_regular_file(file, error)) {
            const bool is_ours = config::project_around(file.parent_path()) == here->folder();
            return {file, is_ours ? here : std::make_shared<const Project>(here->place(), file.parent_path())};
        }
    }
    const auto find = [&](FileKind kind, const std::string& name) {
        return config::find_file(kind, name, here->folder(), here->home());
    };
    if (wanted.file) {
        if (is_path(*wanted.file)) throw Error(Code::not_found, *wanted.file + " does not exist");
        for (const FileKind kind : {FileKind::team, FileKind::agent, FileKind::workflow})
            if (const auto file = find(kind, *wanted.file)) return {*file, here};
        if (wanted.more_teams)
            if (const auto file = config::find_file(FileKind::team, *wanted.file, *wanted.more_teams, std::nullopt))
                return {*file, here};
        // two words without quotes
        const Hint quoted{"if both are the prompt",
                          fmt::format("run {}", in_quotes(*wanted.file + " " + wanted.prompt))};
        unknown("team, agent or workflow", *wanted.file, *here, {"teams", "agents", "workflows"},
                wanted.prompt.empty() || wanted.by_name ? Hint{} : quoted);
    }
    if (wanted.workflow) {
        if (const auto file = find(FileKind::workflow, *wanted.workflow)) return {*file, here};
        unknown("workflow", *wanted.workflow, *here, {"workflows"});
    }
    if (wanted.agent)
        if (const auto file = find(FileKind::agent, *wanted.agent)) return {*file, here};
    if (const auto file = default_team(*here)) return {*file, here};
    if (wanted.agent) unknown("agent", *wanted.agent, *here, {"agents"});
    if (wanted.by_name)
        throw Error(Code::invalid,
                    "nothing to run: name a team, an agent or a workflow, or work in a project that has a team");
    // whoever has written some means one of them
    if (const auto known = known_in(*here, {"teams", "agents", "workflows"}); !known.empty() && here->has_file())
        throw Error(Code::invalid, fmt::format("nothing to run: no team is set as `team` in cadre.yaml, and none is "
                                               "named; there are: {}",
                                               fmt::join(known, ", ")));
    return {{}, here};
}

// ---- what the files say ----

/// What `run` runs. A mistake is told as `check` tells it, with its place.
Resolution resolved(const Source& source, const std::string& model, std::vector<std::string>& notes)
{
    if (source.file.empty()) {
        DefaultAgent assistant = default_agent(*source.project, model);
        notes.push_back(std::move(assistant.note));
        return {.team = std::move(assistant.team), .kind = FileKind::agent};
    }
    Resolution found = resolve(*source.project, source.file, model);
    if (found.no_model && found.no_model->severity == config::Severity::error) found.findings.add(*found.no_model);
    else if (found.no_model) notes.push_back(found.no_model->text);
    found.findings.raise();
    if (found.kind == FileKind::team || found.kind == FileKind::agent || found.workflow) return found;
    throw Error(Code::invalid, fmt::format("{} is not a team, an agent or a workflow", source.file.string()));
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

/// Who is said to have the task: whoever the workflow begins with, as far as that is known.
model::Agent& first_of(const model::WorkflowSetup& workflow, model::Team& team)
{
    const model::NodeDef* entry = workflow.graph.nodes.find(workflow.graph.entry);
    const auto found = std::ranges::find(team.agents, entry && entry->agent ? *entry->agent : "", &model::Agent::name);
    return found == team.agents.end() ? team.agents.front() : *found;
}

/// Every agent that a node names, or the pattern of a node, speaks with a model.
std::vector<const model::Agent*> speakers(const model::WorkflowSetup& workflow, const model::Team& team)
{
    std::set<std::string> names;
    const auto note_pattern = [&](const std::string& name) {
        for (const model::CollaborationPattern& pattern : team.collaboration_patterns) {
            if (pattern.name != name) continue;
            names.insert(pattern.agents.begin(), pattern.agents.end());
            if (pattern.coordination_agent) names.insert(*pattern.coordination_agent);
        }
    };
    const auto note = [&](const model::Graph& graph) {
        for (const auto& [name, node] : graph.nodes) {
            if (node.agent) names.insert(*node.agent);
            if (node.pattern) note_pattern(*node.pattern);
        }
        if (graph.reflection && graph.reflection->agent) names.insert(*graph.reflection->agent);
    };
    note(workflow.graph);
    for (const auto& [name, graph] : workflow.nested) note(graph);
    std::vector<const model::Agent*> all;
    for (const model::Agent& agent : team.agents)
        if (names.contains(agent.name)) all.push_back(&agent);
    return all;
}

// ---- teams ----

/// How a task of a team begins.
struct Beginning {
    std::string pattern = "react@1";
    std::string collaboration{};  // of the team; empty: an agent begins
    boost::json::object input{};
};

void expect_pattern(const model::Team& team, const std::string& name)
{
    std::vector<std::string> names;
    for (const model::CollaborationPattern& pattern : team.collaboration_patterns) names.push_back(pattern.name);
    names.emplace_back(model::kPlanning);
    names.emplace_back(model::kRouting);
    if (std::ranges::find(names, name) != names.end()) return;
    throw Error(Code::not_found, fmt::format("the team {} has no collaboration pattern called {}{}", team.name,
                                             in_quotes(name), hint_for(name, names)));
}

/// One agent without criteria works alone. `--pattern` wins over `--agent`, and that over what the team says.
Beginning beginning_of(const model::Team& team, const RunRequest& wanted)
{
    Beginning begin;
    const model::ExecutionConfig& config = team.execution_config;
    if (wanted.pattern) expect_pattern(team, *wanted.pattern);
    const std::string named = wanted.pattern ? *wanted.pattern : wanted.agent ? "" : config.pattern.value_or("");
    if (named == model::kPlanning || named == model::kRouting) {
        expect_pattern(team, named);
        const bool plans = named == model::kPlanning;
        if (!config.success_criteria.empty() || !config.failure_criteria.empty())
            throw Error(Code::invalid,
                        fmt::format("the team {} has success_criteria or failure_criteria, which are not "
                                    "judged in a {} task; leave them out, or do not {} it",
                                    team.name, plans ? "planned" : "routed", named));
        begin.pattern = plans ? "plan@1" : "route@1";
        return begin;
    }
    const bool has_criteria = !config.success_criteria.empty() || !config.failure_criteria.empty();
    if (team.agents.size() == 1 && !has_criteria && named.empty()) return begin;
    begin.pattern = "team@1";
    begin.collaboration = named;
    const auto& patterns = team.collaboration_patterns;
    if (named.empty() && !wanted.agent && patterns.size() == 1 && team.handoff_rules.empty())
        begin.collaboration = patterns.front().name;
    // with `--agent` an empty name: no pattern begins, whatever the team says
    if (wanted.pattern || (wanted.agent && (!patterns.empty() || config.pattern))) begin.input["pattern"] = named;
    return begin;
}

/// Everybody who may come to speak, in the order of the file.
std::vector<const model::Agent*> speakers(const model::Team& team, const model::Agent& first, const Beginning& begin)
{
    std::set<std::string> names;
    std::vector<std::string> open{first.name};
    const auto join = [&](const model::CollaborationPattern& pattern) {
        open.insert(open.end(), pattern.agents.begin(), pattern.agents.end());
        if (pattern.coordination_agent) open.push_back(*pattern.coordination_agent);
    };
    if (begin.pattern == "react@1") return {&first};
    for (const model::CollaborationPattern& pattern : team.collaboration_patterns)
        if (pattern.name == begin.collaboration) join(pattern);
    if (begin.pattern != "team@1")
        for (const model::Agent& agent : team.agents) open.push_back(agent.name);
    while (!open.empty()) {
        const std::string name = std::move(open.back());
        open.pop_back();
        if (!names.insert(name).second) continue;
        for (const model::HandoffRule& rule : team.handoff_rules)
            if (rule.from_agent == name) open.push_back(rule.to_agent);
        const auto agent = std::ranges::find(team.agents, name, &model::Agent::name);
        if (agent == team.agents.end()) continue;
        for (const model::CollaborationPattern& pattern : team.collaboration_patterns)
            if (std::ranges::find(agent->collaboration_patterns, pattern.name) != agent->collaboration_patterns.end())
                join(pattern);
    }
    std::vector<const model::Agent*> all;
    for (const model::Agent& agent : team.agents)
        if (names.contains(agent.name)) all.push_back(&agent);
    return all;
}

/// What those who speak speak with, and the judge of criteria.
std::vector<const model::LlmConfig*> models_of(const std::vector<const model::Agent*>& speaking,
                                               const model::Team& team, bool is_judged)
{
    std::vector<const model::LlmConfig*> models;
    const auto add = [&](const model::LlmConfig* one) {
        if (std::ranges::none_of(models, [&](const model::LlmConfig* other) { return *other == *one; }))
            models.push_back(one);
    };
    for (const model::Agent* agent : speaking) add(agent->llm_config ? &*agent->llm_config : &team.default_llm);
    if (!is_judged) return models;
    const auto judge = std::ranges::find(team.agents, "judge", &model::Agent::name);
    add(judge != team.agents.end() && judge->llm_config ? &*judge->llm_config : &team.default_llm);
    return models;
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

/// A bare name is an agent of the team, or else a tool.
std::vector<std::string> breakpoints_of(const model::Team& team)
{
    std::vector<std::string> all = team.execution_config.breakpoints;
    for (std::string& name : all)
        if (name.find(':') == name.npos)
            name.insert(0, std::ranges::count(team.agents, name, &model::Agent::name) > 0 ? "agent:" : "tool:");
    return all;
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

std::string model_that_wins(const RunRequest& wanted, const Project& project)
{
    const Place& place = project.place();
    const std::string wins = wanted.model ? *wanted.model : place.environment("CADRE_MODEL").value_or("");
    return wins.empty() ? "" : whole_spec(wins, place.folder);
}

void complete_task(engine::CreateTask& task, const Project& project, const RunRequest& wanted, model::Team&& team,
                   const std::vector<const model::LlmConfig*>& models)
{
    const std::optional<engine::Budget> over =
        wanted.budget ? std::optional(engine::budget_from(*wanted.budget)) : std::nullopt;
    task.project = project.folder().string();
    task.model = model_that_wins(wanted, project);
    task.kind = wanted.kind.value_or("");
    if (wanted.retention_days) task.retention_days = days_in(*wanted.retention_days);
    task.mode = wanted.mode ? mode_of(*wanted.mode) : team.execution_config.mode;
    task.budget = budget_of(project.settings().budget, team.execution_config);
    if (over) task.budget = merged(task.budget, *over);
    for (const model::LlmConfig* one : models)
        if (task.budget.cost) expect_price(project, task, over, *one);
    task.description = wanted.prompt;
    task.breakpoints = breakpoints_of(team);
    task.team = std::move(team);  // last: the models may be its own
}

PreparedTask prepare(const std::shared_ptr<const Project>& here, const RunRequest& wanted)
{
    expect_prompt(wanted.prompt);
    return prepare_team(here, wanted);
}

/// Behind the team's own: of each list the first rule that fits counts, and all that fit say the same.
void add_rules(model::Permissions& rules, const model::Permissions& permissions)
{
    rules.deny.insert(rules.deny.end(), permissions.deny.begin(), permissions.deny.end());
    rules.allow.insert(rules.allow.end(), permissions.allow.begin(), permissions.allow.end());
    rules.ask.insert(rules.ask.end(), permissions.ask.begin(), permissions.ask.end());
}

PreparedTask prepare_team(const std::shared_ptr<const Project>& here, const RunRequest& wanted)
{
    if (wanted.budget) engine::budget_from(*wanted.budget);  // what is wrong with it is said first
    const Source source = source_of(wanted, here);
    const std::string wins = model_that_wins(wanted, *source.project);
    PreparedTask work;
    Resolution found = resolved(source, wins, work.notes);
    model::Team& team = found.team;
    if (found.workflow && wanted.agent)
        throw Error(Code::invalid, fmt::format("{} is a workflow, whose nodes say which agents run; leave out --agent",
                                               source.file.string()));
    if (!found.workflow && !wanted.input.empty())
        throw Error(Code::invalid, source.file.empty() ? "--input is for a workflow, and none is named"
                                                       : fmt::format("{} is not a workflow, and takes no --input",
                                                                     source.file.string()));
    add_rules(team.permissions, source.project->settings().permissions);
    expect_trusted(*source.project, wants_of(*source.project, team, source.file, wins));
    if (found.workflow && wanted.pattern)
        throw Error(Code::invalid,
                    fmt::format("{} is a workflow, whose nodes say which patterns run; leave out --pattern",
                                source.file.string()));
    const Beginning begin = found.workflow ? Beginning{.pattern = "graph@1"} : beginning_of(team, wanted);
    if (begin.pattern == "route@1") work.task.setup = route_setup(team, *source.project, wins, work.notes);
    const model::Agent& first = found.workflow ? first_of(*found.workflow, team) : first_agent(team, wanted, source);
    const bool is_judged = begin.pattern == "team@1" && patterns::are_judged(team.execution_config);
    const std::vector<const model::LlmConfig*> models =
        models_of(found.workflow ? speakers(*found.workflow, team) : speakers(team, first, begin), team, is_judged);
    for (const model::LlmConfig* one : models)  // their keys are needed now
        expect_model(*source.project, wins.empty() ? *one : engine::llm_from_spec(wins));

    work.task.agent = first.name;
    work.task.pattern = begin.pattern;
    work.task.input = begin.input;
    if (found.workflow) {
        work.task.setup = model::to_json_text(*found.workflow);
        work.task.input = engine::members_from(wanted.input, "--input");
        expect_input(work.task.input, *found.workflow, team);
    }
    work.task.source = source.file.string();
    complete_task(work.task, *source.project, wanted, std::move(team), models);
    return work;
}

}  // namespace cadre::home
