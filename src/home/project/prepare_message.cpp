#include "home/project/prepare_message.hpp"

#include "base/error.hpp"
#include "config/project.hpp"
#include "engine/agent.hpp"
#include "engine/task_state.hpp"
#include "home/models.hpp"
#include "home/project/complete_task.hpp"
#include "home/project/conversation_team.hpp"
#include "home/project/default_agent.hpp"
#include "home/project/project.hpp"
#include "home/project/resolve.hpp"
#include "home/project/trust.hpp"
#include "model/message_setup.hpp"
#include "model/read.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"
#include "patterns/message/message.hpp"
#include "patterns/message/prompts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;
using model::conversation::StyleGuide;

/// Where document 001 has it, else beside the other settings; of the project, else of the home.
std::optional<fs::path> find_settings(const Project& project, std::string_view stem)
{
    std::error_code error;
    for (const fs::path& folder : {project.folder(), project.home()})
        for (const char* inner : {"agents/config", "config"})
            for (const std::string_view extension : config::kExtensions)
                if (const fs::path file = folder / inner / fmt::format("{}{}", stem, extension);
                    fs::is_regular_file(file, error))
                    return file;
    return std::nullopt;
}

/// As `check` reads it: the file as a T, or what a project without one has.
template <class T>
T settings_of(const Project& project, std::string_view stem, T otherwise)
{
    const auto file = find_settings(project, stem);
    if (!file) return otherwise;
    const config::Contents contents = project.read(*file);
    return model::from_json<T>(contents.files.back()->document->value);
}

model::MessageSetup setup_for(const Project& project, const MessageRequest& message)
{
    const StyleGuide plain{.version = "1", .brand_name = "us", .personality = "helpful, precise"};
    model::MessageSetup setup{.style = settings_of(project, "style_guide", plain),
                              .account = message.account,
                              .to = message.to,
                              .reply_to = message.reply_to,
                              .user_name = message.user_name};
    setup.channel =
        specification_of(settings_of(project, "channels", model::conversation::Channels{}), message.channel);
    return setup;
}

void expect_agents(const model::Team& team, const std::string& file)
{
    for (const std::string_view name :
         {patterns::kPlanner, patterns::kTimesheet, patterns::kBranding, patterns::kQuality})
        if (std::ranges::find(team.agents, name, &model::Agent::name) == team.agents.end())
            throw Error(Code::invalid,
                        fmt::format("{}: there is no agent \"{}\", which answers to messages need", file, name),
                        {"to see a team that has all four", "init --team conversation"});
}

/// Those that agents speak with; branding asks none.
std::vector<const model::LlmConfig*> models_asked(const model::Team& team)
{
    std::vector<const model::LlmConfig*> models;
    for (const model::Agent& agent : team.agents) {
        if (agent.name == patterns::kBranding) continue;
        const model::LlmConfig* model = agent.llm_config ? &*agent.llm_config : &team.default_llm;
        if (std::ranges::find(models, model) == models.end()) models.push_back(model);
    }
    return models;
}

struct Answering {
    model::Team team{};
    std::string source{};
};

/// `name`: empty: `conversation`, where there is one.
Answering team_for(const Project& project, const std::string& name, const std::string& wins)
{
    const auto file = config::find_file(config::FileKind::team, name.empty() ? "conversation" : name, project.folder(),
                                        project.home());
    if (!file && !name.empty())
        throw Error(Code::not_found, fmt::format("there is no team {} in teams/", in_quotes(name)));
    if (!file) {
        Answering built_in{.team = conversation_team()};
        built_in.team.default_llm = default_agent(project, wins).team.default_llm;
        return built_in;
    }
    Resolution found = resolve(project, *file, wins);
    if (found.no_model) found.findings.add(*found.no_model);
    found.findings.raise();
    expect_agents(found.team, project.shown(*file));
    return {.team = std::move(found.team), .source = file->string()};
}

}  // namespace

PreparedTask prepare_message(const std::shared_ptr<const Project>& here, const RunRequest& wanted,
                             const MessageRequest& message, const engine::TaskState* last)
{
    expect_prompt(wanted.prompt);
    const std::string wins = model_that_wins(wanted, *here);
    Answering work = team_for(*here, message.team, wins);
    add_rules(work.team.permissions, here->settings().permissions);
    expect_trusted(*here, work.source.empty() ? wants_of(*here) : wants_of(*here, work.team, work.source, wins));
    PreparedTask prepared;
    prepared.task.agent = std::string(patterns::kPlanner);
    prepared.task.pattern = "message@1";
    prepared.task.setup = model::to_json_text(setup_for(*here, message));
    prepared.task.source = work.source;
    prepared.task.metadata["channel"] = model::wire_name(message.channel);
    if (last) prepared.task.input = patterns::next_message_input(*last);
    const std::vector<const model::LlmConfig*> models = models_asked(work.team);
    for (const model::LlmConfig* model : models) {
        const model::LlmConfig asked = wins.empty() ? *model : engine::llm_from_spec(wins);
        expect_model(*here, asked);
        if (is_local(asked.provider))
            throw Error(Code::invalid,
                        "messages are written by a language model, and the model local writes nothing; set a "
                        "key like OPENAI_API_KEY, or give --model");
    }
    complete_task(prepared.task, *here, wanted, std::move(work.team), models);
    return prepared;
}

}  // namespace cadre::home
