// Agents and tools between the kernel and document 000's files, without loss: `ext` carries what the document lacks.
#include "base/json.hpp"
#include "model/read.hpp"
#include "model/schema_version.hpp"
#include "model/unshown.hpp"
#include "model/views/framework_agent.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>

namespace cadre::model::framework {

namespace {

/// `ext` without what only says how the file is written.
json::object fields_in(const json::object& ext)
{
    json::object fields = ext;
    fields.erase("schema_version");
    return fields;
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
    auto rest = unshown(llm, {"base_url", "model", "api_key", "temperature"});
    if (!rest.empty()) shown.ext["llm_config"] = std::move(rest);
    return shown;
}

model::Agent from(const Agent& agent)
{
    json::object fields = fields_in(agent.ext);
    json::object llm;
    if (const json::value* rest = fields.if_contains("llm_config"); rest && rest->is_object()) llm = rest->as_object();
    llm["model"] = agent.llm_config.model;
    if (!agent.llm_config.endpoint.empty()) llm["base_url"] = agent.llm_config.endpoint;
    if (agent.llm_config.api_key) llm["api_key"] = *agent.llm_config.api_key;
    fields["llm_config"] = std::move(llm);
    fields["name"] = agent.name;
    fields["role"] = agent.role;
    if (!fields.contains("prompt_template")) fields["prompt"] = agent.system_prompt;
    fields["tools"] = json::value_from(agent.tools);
    fields["max_iterations"] = agent.max_iterations;
    fields["temperature"] = agent.temperature;
    return from_json<model::Agent>(fields);
}

Tool view(const model::Tool& tool)
{
    Tool shown{.name = tool.name,
               .server = tool.server.value_or(std::string(wire_name(tool.type))),
               .description = tool.description,
               .input_schema = tool.input_schema.value_or(json::object{{"type", "object"}}),
               .output_schema = tool.output_schema,
               .timeout_seconds = tool.timeout.value_or(kToolTimeout),
               .fallback_tools = tool.fallback_tools,
               .ext = {{"schema_version", kSchemaVersion}}};
    for (auto& member : unshown(tool, {"name", "type", "server", "description", "input_schema", "output_schema",
                                       "timeout", "fallback_tools"}))
        shown.ext[member.key()] = member.value();
    return shown;
}

model::Tool from(const Tool& tool)
{
    json::object fields = fields_in(tool.ext);
    const auto own = find_named<ToolType>(tool.server);  // a server called "builtin" is ourselves
    fields["type"] = wire_name(own.value_or(ToolType::mcp));
    if (!own) fields["server"] = tool.server;
    fields["name"] = tool.name;
    fields["description"] = tool.description;
    fields["input_schema"] = tool.input_schema;
    if (tool.output_schema) fields["output_schema"] = *tool.output_schema;
    fields["timeout"] = tool.timeout_seconds;
    fields["fallback_tools"] = json::value_from(tool.fallback_tools);
    return from_json<model::Tool>(fields);
}

}  // namespace cadre::model::framework
