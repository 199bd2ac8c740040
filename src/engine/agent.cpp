#include "engine/agent.hpp"

#include "base/json.hpp"
#include "engine/prompt_template.hpp"
#include "engine/tool_search.hpp"
#include "model/providers.hpp"
#include "tools/builtin.hpp"
#include "tools/knowledge/knowledge_tool.hpp"
#include "tools/tool.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <set>

namespace cadre::engine {

namespace {

const model::Tool& definition_of(const std::string& name, const tools::Registry& tools)
{
    return name == tools::ask_human_definition().name ? tools::ask_human_definition() : tools.get(name)->definition();
}

/// What a team says of a tool of ours: whether and how long it may run. What the tool is and does is ours to say.
void override_with(model::Tool& tool, const model::Tool& said)
{
    if (said.permission) tool.permission = said.permission;
    if (said.timeout) tool.timeout = said.timeout;
    if (!said.retry_policy.empty()) tool.retry_policy = said.retry_policy;
    if (!said.description.empty()) tool.description = said.description;
    if (!said.fallback_tools.empty()) tool.fallback_tools = said.fallback_tools;
    if (!said.config.empty()) tool.config = said.config;
    if (said.max_parallel) tool.max_parallel = said.max_parallel;
}

llm::ToolSpec spec_of(const model::Tool& tool)
{
    return {tool.name, tool.description, tool.input_schema ? to_canonical_text(*tool.input_schema) : "{}"};
}

void append(std::string& all, const std::vector<llm::ToolSpec>& specs)
{
    for (const llm::ToolSpec& spec : specs)
        all.append(spec.name)
            .append(1, '\0')
            .append(spec.description)
            .append(1, '\0')
            .append(spec.input_schema)
            .append(1, '\0');
}

/// What was granted one by one stays in sight; what servers offer by the dozen is searched for.
void hide_some(Agent& agent, std::vector<llm::ToolSpec>& specs)
{
    auto more = std::make_shared<std::vector<llm::ToolSpec>>();
    std::vector<llm::ToolSpec> seen;
    for (llm::ToolSpec& spec : specs) {
        const bool is_offered = agent.definitions->find(spec.name)->second.type == model::ToolType::mcp;
        (is_offered ? *more : seen).push_back(std::move(spec));
    }
    specs = std::move(seen);
    if (more->empty()) return;
    agent.more_specs = std::move(more);
    const model::Tool& search = tools::search_tools_definition();
    specs.push_back(spec_of(search));
    agent.tools.push_back(search.name);
}

/// Another model where `config` stands. At the same provider everything else stays: its address, its key, its patience.
model::LlmConfig instead_of(const model::LlmConfig& config, std::string_view spec)
{
    const model::LlmConfig other = llm_from_spec(spec);
    model::LlmConfig llm = config;
    llm.model = other.model;
    if (other.provider == config.provider) return llm;
    llm.provider = other.provider;
    llm.base_url.reset();
    llm.api_key.reset();
    llm.api_key_env.reset();
    llm.key.reset();
    return llm;
}

Agent prepare(const model::Agent& agent, const model::Team& team, std::shared_ptr<const ToolTable> tools,
              std::string_view model)
{
    const model::LlmConfig& own = agent.llm_config ? *agent.llm_config : team.default_llm;
    const model::LlmConfig llm = model.empty() ? own : instead_of(own, model);
    Agent ready{.name = agent.name,
                .instructions = agent.prompt.value_or(""),
                .models = {llm},
                .tools = agent.tools,
                .options = {.temperature = agent.temperature},
                .max_iterations = agent.max_iterations,
                .max_parallel_tasks = agent.max_parallel_tasks,
                .memory = agent.memory_config ? *agent.memory_config : team.memory_config};
    if (agent.timeout) ready.timeout = std::chrono::seconds(*agent.timeout);
    if (agent.prompt_template && team.templates.contains(*agent.prompt_template)) {
        ready.prompt = std::make_shared<const PromptTemplate>(agent, team);
        ready.instructions = ready.prompt->source();
    }
    for (const std::string& spec : llm.fallback) ready.models.push_back(instead_of(llm, spec));
    if (llm.max_tokens) ready.options.max_tokens = *llm.max_tokens;
    if (agent.output_schema) ready.options.output_schema = to_canonical_text(*agent.output_schema);

    auto specs = std::make_shared<std::vector<llm::ToolSpec>>();
    for (const std::string& name : agent.tools)
        if (const auto tool = tools->find(name); tool != tools->end()) specs->push_back(spec_of(tool->second));
    ready.definitions = std::move(tools);
    if (are_too_many(*specs)) hide_some(ready, *specs);
    ready.tool_specs = std::move(specs);
    digest(ready);
    return ready;
}

}  // namespace

void digest(Agent& agent)
{
    agent.name_digest = cadre::digest_of(agent.name);
    agent.instructions_digest = cadre::digest_of(agent.instructions);
    std::string specs;
    append(specs, *agent.tool_specs);
    if (agent.more_specs) append(specs, *agent.more_specs);
    agent.tools_digest = cadre::digest_of(specs);
}

std::string model_spec(const model::LlmConfig& config)
{
    if (config.provider == "script" || config.provider == "replay") return config.provider + ":" + config.model;
    return config.provider == model::kLocal ? std::string(model::kLocal) : config.provider + "/" + config.model;
}

model::LlmConfig llm_from_spec(std::string_view spec)
{
    if (spec == model::kLocal)
        return {.provider = std::string(spec), .model = std::string(spec)};  // a model has a name
    const std::size_t end = std::min(spec.find_first_of(":/"), spec.size());
    return {.provider = std::string(spec.substr(0, end)),
            .model = std::string(end < spec.size() ? spec.substr(end + 1) : "")};
}

std::string Agent::model() const
{
    return models.empty() ? "" : model_spec(models.front());
}

const model::Tool* Agent::find_tool(std::string_view tool) const
{
    if (std::ranges::find(tools, tool) == tools.end()) return nullptr;
    const auto place = definitions->find(tool);
    return place == definitions->end() ? nullptr : &place->second;
}

void pin_tools(model::Team& team, const tools::Registry& tools)
{
    std::vector<std::string> wanted;
    for (const model::Agent& agent : team.agents) wanted.insert(wanted.end(), agent.tools.begin(), agent.tools.end());
    std::set<std::string> seen;
    for (std::size_t i = 0; i < wanted.size(); ++i) {  // it grows: what stands in for a tool is wanted too
        const std::string name = wanted[i];
        if (!seen.insert(name).second) continue;
        auto said = std::ranges::find(team.tools, name, &model::Tool::name);
        if (said == team.tools.end()) {
            said = team.tools.insert(team.tools.end(), definition_of(name, tools));
        } else if (said->type == model::ToolType::builtin && tools::knowledge_paths(*said).empty()) {
            model::Tool tool = definition_of(name, tools);
            override_with(tool, *said);
            *said = std::move(tool);
        }
        wanted.insert(wanted.end(), said->fallback_tools.begin(), said->fallback_tools.end());
    }
}

std::vector<Agent> agents_of(const model::Team& team, std::string_view model, model::ExecutionMode mode)
{
    const std::vector<std::string>& points = team.execution_config.human_intervention_points;
    const auto is_point = [&](std::string_view kind, const std::string& name) {
        return std::ranges::any_of(points, [&](std::string_view point) {
            return point == name || (point.starts_with(kind) && point.substr(kind.size()) == name);
        });
    };
    const bool everywhere = mode == model::ExecutionMode::hitl && points.empty();

    auto table = std::make_shared<ToolTable>();
    for (model::Tool tool : team.tools) {
        if (is_point("tool:", tool.name) && tool.permission != model::Permission::deny)
            tool.permission = model::Permission::ask;
        table->emplace(tool.name, std::move(tool));
    }
    table->emplace(tools::search_tools_definition().name, tools::search_tools_definition());
    const auto permissions = std::make_shared<const model::Permissions>(team.permissions);
    std::vector<Agent> agents;
    agents.reserve(team.agents.size());
    for (const model::Agent& agent : team.agents) {
        agents.push_back(prepare(agent, team, table, model));
        agents.back().permissions = permissions;
        agents.back().is_watched = everywhere || is_point("agent:", agent.name);
    }
    return agents;
}

}  // namespace cadre::engine
