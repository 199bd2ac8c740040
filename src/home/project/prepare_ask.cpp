#include "home/project/prepare_ask.hpp"

#include "base/error.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "engine/task_state.hpp"
#include "home/models.hpp"
#include "home/project/complete_task.hpp"
#include "home/project/default_agent.hpp"
#include "home/project/project.hpp"
#include "home/project/trust.hpp"
#include "model/ask_setup.hpp"
#include "model/write.hpp"
#include "patterns/ask/ask.hpp"
#include "patterns/ask/choose.hpp"
#include "patterns/ask/compose.hpp"
#include "patterns/ask/domain_tool.hpp"
#include "patterns/ask/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> find_domains(const fs::path& folder)
{
    std::error_code error;
    for (const char* name : {"domains.yaml", "domains.yml", "domains.json"})
        if (fs::is_regular_file(folder / "config" / name, error)) return folder / "config" / name;
    return std::nullopt;
}

fs::path domains_file(const Project& project)
{
    for (const fs::path& folder : {project.folder(), project.home()})
        if (auto file = find_domains(folder)) return *file;
    throw Error(Code::not_found,
                fmt::format("there are no domains to ask: neither {} nor the home has a config/domains.yaml",
                            project.folder().string()),
                {"to see what such a file holds", "schema domains"});
}

/// As `check` looks at it, in the light of the project's servers.
model::AskSetup read_domains(const Project& project)
{
    const fs::path path = domains_file(project);
    config::Findings all;
    config::Variables variables = project.reading();
    config::Contents contents = project.contents();
    config::add_file(contents, {.path = path, .root = project.root_of(path), .shown = project.shown(path)}, variables,
                     all);
    contents.open.teams = contents.open.agents = contents.open.aliases = true;  // none of them was read
    config::check_meaning(contents, project.place().environment, all);
    const config::File& file = *contents.files.back();
    config::Findings own;
    for (const config::Finding& finding : all.list())
        if (finding.file == file.shown) own.add(finding);
    own.add_left_out(all, file.shown);
    own.raise();
    model::AskSetup setup;
    for (const auto& [domain, in, at] : contents.domains)
        if (in == &file) setup.domains.push_back(domain);
    for (const auto& [options, in, at] : contents.ask)
        if (in == &file) setup.options = options;
    if (std::ranges::none_of(setup.domains, patterns::can_be_asked))
        throw Error(Code::invalid, fmt::format("{}: no domain can be asked: none is enabled and has a tool that takes "
                                               "a question",
                                               file.shown));
    return setup;
}

model::Agent agent_called(std::string_view name, std::string role, std::string prompt)
{
    return {.name = std::string(name), .role = std::move(role), .prompt = std::move(prompt)};
}

/// Who decides, who answers, and who calls the tools, without a model.
model::Team team_for(const model::AskSetup& setup)
{
    model::Team team{.name = "ask", .description = "Answers questions from the data of domains."};
    team.agents.push_back(agent_called(patterns::kAnalyst, "Answers from what the data domains said.",
                                       "You answer questions from data that you are given, briefly and exactly. You "
                                       "never make up numbers, and say what the data does not tell."));
    team.agents.push_back(agent_called(patterns::kDomainRouter, "Decides which data domains are asked.",
                                       "You decide which data domains can answer a question. You never answer it."));
    team.agents.push_back(
        agent_called(patterns::kHands, "Calls the tools of data domains.", "You call tools of data domains."));
    std::vector<std::string>& tools = team.agents.back().tools;
    for (const model::domains::Domain& domain : setup.domains)
        for (const std::string& tool : domain.enabled ? domain.mcp_tools : std::vector<std::string>())
            if (std::ranges::find(tools, tool) == tools.end()) tools.push_back(tool);
    return team;
}

/// Gives the team its model. Where nobody has configured one, what needs none still works; one that is configured and does not is told.
void choose_model(model::AskSetup& setup, model::Team& team, const Project& project, const std::string& wins,
                  std::vector<std::string>& notes)
{
    using model::RouterKind;
    setup.router = setup.options.router.value_or(RouterKind::model);
    try {
        team.default_llm = default_agent(project, wins).team.default_llm;
        expect_model(project, team.default_llm);
        if (is_local(team.default_llm.provider))
            throw Error(Code::unavailable,
                        "local is not a language model; set a key like OPENAI_API_KEY, or give --model");
    } catch (const Error& error) {
        const bool is_chosen = (!wins.empty() || project.settings().model) && !is_local(team.default_llm.provider);
        if (setup.options.router == RouterKind::model || is_chosen) throw;
        setup.has_model = false;
        setup.router = RouterKind::local;
        team.default_llm = {};
        notes.push_back(
            fmt::format("no language model is configured, so domains are chosen by comparison ({})", error.what()));
    }
}

}  // namespace

PreparedTask prepare_ask(const std::shared_ptr<const Project>& here, const RunRequest& wanted,
                         const engine::TaskState* last)
{
    expect_prompt(wanted.prompt);
    expect_trusted(*here, wants_of(*here));
    model::AskSetup setup = read_domains(*here);
    PreparedTask work;
    model::Team team = team_for(setup);
    choose_model(setup, team, *here, model_that_wins(wanted, *here), work.notes);
    for (const model::domains::Domain& domain : setup.domains)
        if (domain.enabled && !patterns::can_be_asked(domain))
            work.notes.push_back(
                fmt::format("domain {} has no tool that takes a question, and is not asked", domain.name));
    work.task.agent = std::string(patterns::kAnalyst);
    work.task.pattern = "ask@1";
    work.task.setup = model::to_json_text(setup);
    if (last) work.task.input = patterns::next_input(last->spec.input, last->reply ? &*last->reply : nullptr);
    std::vector<const model::LlmConfig*> models;
    if (setup.has_model) models.push_back(&team.default_llm);
    complete_task(work.task, *here, wanted, std::move(team), models);
    return work;
}

}  // namespace cadre::home
