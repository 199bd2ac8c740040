// Agents and tools between the kernel and document 000's files, without loss: `ext` carries what the document lacks, and a
// null there says that the kernel has none and the file shows what holds instead, until somebody changes it.
#include "base/json.hpp"
#include "model/read.hpp"
#include "model/schema_version.hpp"
#include "model/unshown.hpp"
#include "model/views/framework_agent.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

namespace cadre::model::framework {

namespace {

/// In `ext` of an agent without a model of its own: the team's, as it was shown. Whoever changes what is shown gives it one.
constexpr std::string_view kTeamLlm = "team_llm";
const json::object kAnyInput{{"type", "object"}};

/// Takes `name` out of `ext`: whether it was there.
bool take(json::object& ext, std::string_view name)
{
    return ext.erase(name) > 0;
}

/// A model as the file shows it; its key only where that is a reference, as secrets are written.
json::value shown_llm(const LLMConfig& llm)
{
    return to_json_value(llm);
}

}  // namespace

Agent view(const model::Agent& agent, const LlmConfig& team_llm)
{
    const LlmConfig& llm = agent.llm_config ? *agent.llm_config : team_llm;
    Agent shown{.name = agent.name,
                .role = agent.role,
                .system_prompt = agent.prompt.value_or(""),
                .tools = agent.tools,
                .max_iterations = agent.max_iterations,
                .llm_config = {.endpoint = llm.base_url.value_or(""), .model = llm.model, .api_key = llm.api_key},
                .temperature = agent.temperature.value_or(llm.temperature),
                .ext = {{"schema_version", kSchemaVersion}}};
    for (auto& member :
         unshown(agent, {"name", "role", "prompt", "tools", "max_iterations", "llm_config", "temperature"}))
        shown.ext[member.key()] = member.value();
    auto rest = unshown(llm, {"base_url", "model", "api_key"});
    if (!rest.empty()) shown.ext["llm_config"] = std::move(rest);
    if (!agent.llm_config) shown.ext[kTeamLlm] = shown_llm(shown.llm_config);
    if (!agent.temperature) shown.ext["temperature"] = nullptr;
    return shown;
}

json::object kernel_fields(const Agent& agent)
{
    json::object fields = agent.ext;
    take(fields, "schema_version");
    const json::value* team_llm = agent.ext.if_contains(kTeamLlm);
    const bool has_own_llm = !team_llm || *team_llm != shown_llm(agent.llm_config);
    take(fields, kTeamLlm);
    json::object llm;
    if (const json::value* rest = fields.if_contains("llm_config"); rest && rest->is_object()) llm = rest->as_object();
    llm["model"] = agent.llm_config.model;
    if (!agent.llm_config.endpoint.empty()) llm["base_url"] = agent.llm_config.endpoint;
    if (agent.llm_config.api_key) llm["api_key"] = *agent.llm_config.api_key;
    const json::value* said = llm.if_contains("temperature");
    const double llm_temperature = said && said->is_number() ? said->to_number<double>() : LlmConfig{}.temperature;
    const bool had_temperature = !take(fields, "temperature");
    if (had_temperature || agent.temperature != llm_temperature) fields["temperature"] = agent.temperature;
    if (has_own_llm) fields["llm_config"] = std::move(llm);
    else take(fields, "llm_config");
    fields["name"] = agent.name;
    fields["role"] = agent.role;
    if (!fields.contains("prompt_template") || !agent.system_prompt.empty()) fields["prompt"] = agent.system_prompt;
    fields["tools"] = json::value_from(agent.tools);
    fields["max_iterations"] = agent.max_iterations;
    return fields;
}

model::Agent from(const Agent& agent)
{
    return from_json<model::Agent>(kernel_fields(agent));
}

Tool view(const model::Tool& tool)
{
    Tool shown{.name = tool.name,
               .server = tool.server.value_or(std::string(wire_name(tool.type))),
               .description = tool.description,
               .input_schema = tool.input_schema.value_or(kAnyInput),
               .output_schema = tool.output_schema,
               .timeout_seconds = tool.timeout.value_or(kToolTimeout),
               .fallback_tools = tool.fallback_tools,
               .ext = {{"schema_version", kSchemaVersion}}};
    for (auto& member : unshown(tool, {"name", "type", "server", "description", "input_schema", "output_schema",
                                       "timeout", "fallback_tools"}))
        shown.ext[member.key()] = member.value();
    if (!tool.input_schema) shown.ext["input_schema"] = nullptr;
    if (!tool.timeout) shown.ext["timeout"] = nullptr;
    return shown;
}

model::Tool from(const Tool& tool)
{
    json::object fields = tool.ext;
    take(fields, "schema_version");
    const auto own = find_named<ToolType>(tool.server);  // a server called "builtin" is ourselves
    fields["type"] = wire_name(own.value_or(ToolType::mcp));
    if (!own) fields["server"] = tool.server;
    fields["name"] = tool.name;
    fields["description"] = tool.description;
    if (!take(fields, "input_schema") || tool.input_schema != kAnyInput) fields["input_schema"] = tool.input_schema;
    if (tool.output_schema) fields["output_schema"] = *tool.output_schema;
    if (!take(fields, "timeout") || tool.timeout_seconds != kToolTimeout) fields["timeout"] = tool.timeout_seconds;
    fields["fallback_tools"] = json::value_from(tool.fallback_tools);
    return from_json<model::Tool>(fields);
}

}  // namespace cadre::model::framework
