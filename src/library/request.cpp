#include "library/request.hpp"

#include "base/error.hpp"
#include "base/id.hpp"
#include "base/json.hpp"
#include "engine/agent.hpp"
#include "engine/step_id.hpp"
#include "home/models.hpp"
#include "home/project/prepare_task.hpp"
#include "home/project/project.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace cadre::library {

namespace {

/// The first that says something.
template <class T>
T first(T one, T other)
{
    return one ? one : other;
}

engine::Budget budget_of(const StartOptions& options, const Limits& limits)
{
    engine::Budget budget{.cost = first(options.dollars, limits.dollars), .steps = first(options.steps, limits.steps)};
    if (const auto tokens = first(options.tokens, limits.tokens)) budget.tokens = *tokens;
    if (const auto time = first(options.time, limits.time)) budget.wall_ms = time->count();
    return budget;
}

std::optional<json::object> schema_from(const Agent& agent)
{
    if (agent.output_schema.empty()) return std::nullopt;
    json::value schema = parse_json(agent.output_schema);
    if (schema.is_object()) return std::move(schema.get_object());
    throw Error(Code::invalid, "the output_schema of " + agent.name + " is not a JSON object");
}

model::Team team_of(const Agent& agent)
{
    if (agent.name.empty()) throw Error(Code::invalid, "an agent needs a name");
    model::Team team{
        .name = agent.name,
        .agents = {{.name = agent.name,
                    .role = agent.name,
                    .tools = agent.tools,
                    .prompt = agent.instructions.empty() ? "You are " + agent.name + '.' : agent.instructions,
                    .max_iterations = agent.max_iterations,
                    .temperature = agent.temperature,
                    .output_schema = schema_from(agent)}}};
    // for a pattern that needs no model; one that does is told that there is none
    team.default_llm.provider = home::kFunction;
    team.default_llm.model = "none";
    return team;
}

engine::CreateTask of_program(const home::Project& project, const StartRequest& request)
{
    home::expect_prompt(request.prompt);
    engine::CreateTask task{.team = team_of(request.agent), .agent = request.agent.name, .description = request.prompt};
    if (request.has_project) task.project = project.folder().string();
    for (const std::string* model : {&request.options.model, &request.agent.model, &request.model})
        if (task.model.empty()) task.model = *model;
    if (task.model.empty()) task.model = project.settings().model.value_or("");
    if (task.model.empty() && request.options.pattern.empty())
        throw Error(Code::invalid,
                    fmt::format("no model is configured for {}: give the engine one with use_model(), or "
                                "name one in the agent or in what the task is started with",
                                request.agent.name));
    return task;
}

engine::CreateTask of_project(const std::shared_ptr<const home::Project>& project, const StartRequest& request)
{
    if (!request.has_project)
        throw Error(Code::invalid,
                    fmt::format("the engine has no project, in which {} could be an agent or a team; give "
                                "it one: EngineOptions::project",
                                in_quotes(request.name)));
    home::RunRequest wanted{.file = request.name, .prompt = request.prompt};
    const std::string& model = request.options.model.empty() ? request.model : request.options.model;
    if (!model.empty()) wanted.model = model;
    return home::prepare(project, wanted).task;
}

}  // namespace

engine::CreateTask task_from(const std::shared_ptr<const home::Project>& project, const StartRequest& given)
{
    StartRequest request = given;
    for (std::string* model : {&request.options.model, &request.agent.model})
        *model = home::whole_spec(*model, std::filesystem::current_path());
    engine::CreateTask task = request.name.empty() ? of_program(*project, request) : of_project(project, request);

    task.budget = home::merged(task.budget, budget_of(request.options, request.limits));
    if (!task.model.empty()) {
        const model::LlmConfig llm = engine::llm_from_spec(task.model);
        home::expect_model(*project, llm);
        const std::string problem = task.budget.cost ? home::price_problem(*project, llm) : "";
        if (!problem.empty()) throw Error(Code::invalid, problem);
    }
    model::Agent& agent = *std::ranges::find(task.team.agents, task.agent, &model::Agent::name);
    if (request.options.temperature) agent.temperature = request.options.temperature;
    for (const std::string& tool : request.options.tools) agent.tools.push_back(tool);
    if (!request.options.pattern.empty()) task.pattern = request.options.pattern;
    if (!request.options.session.empty()) task.session = session_id(request.options.session);
    return task;
}

std::string session_id(const std::string& name)
{
    if (name.empty()) return to_string(new_id());
    if (const auto id = find_id(name)) return to_string(*id);
    return to_string(engine::derived_id("session of a program: " + name));
}

}  // namespace cadre::library
