#include "home/project/prepare_task.hpp"

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "engine/agent.hpp"
#include "engine/state_change.hpp"
#include "home/models.hpp"
#include "home/project/complete_task.hpp"
#include "home/project/default_agent.hpp"
#include "home/project/prepare_route.hpp"
#include "home/project/project.hpp"
#include "home/project/resolve.hpp"
#include "home/project/run_source.hpp"
#include "home/project/team_beginning.hpp"
#include "home/project/trust.hpp"
#include "home/project/workflow_input.hpp"
#include "model/route_setup.hpp"
#include "model/write.hpp"
#include "patterns/team/criteria.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::home {
namespace {

using config::FileKind;

/// Of a task's first record, which holds the prompt.
constexpr std::size_t kMaxPrompt = 512 << 10;

/// What `run` runs. A mistake is told as `check` tells it, with its place.
Resolution resolved(const RunSource& source, const std::string& model, std::vector<std::string>& notes)
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

model::Agent& first_agent(model::Team& team, const RunRequest& wanted, const RunSource& source)
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

}  // namespace

void expect_prompt(const std::string& prompt)
{
    expect_text(prompt);
    if (model::to_json_text(prompt).size() > kMaxPrompt)
        throw Error(Code::too_large,
                    fmt::format("the prompt has more than {} KiB; put long texts into files", kMaxPrompt >> 10));
}

PreparedTask prepare(const std::shared_ptr<const Project>& here, const RunRequest& wanted)
{
    expect_prompt(wanted.prompt);
    return prepare_team(here, wanted);
}

Resolution find_team(const std::shared_ptr<const Project>& here, const RunRequest& wanted)
{
    const RunSource source = source_of(wanted, here);
    if (source.file.empty()) throw Error(Code::invalid, "no team is named, and the project has none");
    Resolution found = resolve(*source.project, source.file, "", false);
    found.findings.raise();
    return found;
}

PreparedTask prepare_team(const std::shared_ptr<const Project>& here, const RunRequest& wanted)
{
    if (wanted.budget) engine::budget_from(*wanted.budget);  // what is wrong with it is said first
    const RunSource source = source_of(wanted, here);
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
    if (begin.chosen) work.task.input["pattern"] = *begin.chosen;
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
