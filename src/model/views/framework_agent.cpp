#include "model/views/framework_agent.hpp"

#include "base/error.hpp"
#include "model/describe.hpp"
#include "model/format.hpp"
#include "model/known_names.hpp"
#include "model/read.hpp"
#include "model/schema_version.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <map>

namespace cadre::model::framework {

namespace json = boost::json;

namespace {

void check_endpoint(const LLMConfig& llm, const Path& path, Problems& problems)
{
    if (!llm.endpoint.empty() && !matches(Format::url, llm.endpoint))
        problems.add(Path(path, "endpoint"),
                     fmt::format("{} is not {}", in_quotes(llm.endpoint), name_of(Format::url)));
}

void check_server(const MCPServer& server, const Path& path, Problems& problems)
{
    const Path config(path, "config");
    if (server.transport == TransportType::stdio) {
        StdioConfig stdio;
        read(server.config, &stdio, describe(&stdio), config, problems, {});
    } else {
        HttpConfig http;
        read(server.config, &http, describe(&http), config, problems, {});
    }
}

}  // namespace

const Entity& describe(const LLMConfig*)
{
    static const Entity entity{
        .name = "framework_llm_config",
        .doc = "Where an agent's model is.",
        .fields =
            {
                field("endpoint", &LLMConfig::endpoint, "Base URL of the API; empty: the provider's own.",
                      {.required = true}),
                field("model", &LLMConfig::model, "Name of the model.", {.required = true, .min_length = 1}),
                field("api_key", &LLMConfig::api_key, "The key, or `${VAR}` to take it from the environment.",
                      {.min_length = 1, .secret = true}),
            },
        .checks = {check<LLMConfig>(
            {"endpoint"}, "`endpoint` is a URL, or empty.", check_endpoint,
            R"({"properties":{"endpoint":{"pattern":"^(https?://[^ ]+)?$","or_variable":true}}})")},
        .example = R"({"endpoint":"https://api.deepseek.com","model":"deepseek-chat","api_key":null})",
    };
    return entity;
}

const Entity& describe(const Agent*)
{
    static const Entity entity{
        .name = "framework_agent",
        .doc = "An agent with access to specific tools, in a form that other programs know too.",
        .fields =
            {
                field("name", &Agent::name, "Unique.",
                      {.required = true, .max_length = 64, .format = Format::snake_name}),
                field("role", &Agent::role, "What it is for.", {.required = true, .min_length = 1}),
                field("system_prompt", &Agent::system_prompt,
                      "What its model is told first; empty if `ext` has a `prompt_template`.", {.required = true}),
                field("tools", &Agent::tools, "Names of the tools it may call.", {.required = true, .unique = true}),
                field("max_iterations", &Agent::max_iterations, "Model calls before it gives up.", {.min = 1}),
                field("llm_config", &Agent::llm_config, "Its model.", {.required = true}),
                field("temperature", &Agent::temperature, "How freely it speaks.", {.min = 0, .max = 2}),
                field("ext", &Agent::ext, "What Cadre knows about it and this format has no field for.",
                      {.extension = true}),
            },
        .home = {Home::Kind::json_file, "`agents/NAME.json`"},
        .checks = {schema_version_check<Agent>(),
                   check<Agent>({},
                                "`ext` holds fields of an [agent](agent.md) that have no other place here, and "
                                "`ext.llm_config` those of its [llm_config](llm_config.md); all rules of these hold.",
                                check_kernel_fields, kernel_fields_schema())},
        .example = R"({"name":"writer","role":"Writes articles","system_prompt":"You write.","tools":["search"],
            "max_iterations":10,"llm_config":{"endpoint":"https://api.deepseek.com","model":"deepseek-chat",
            "api_key":null},"temperature":0.7,"ext":{"schema_version":"1.0.0"}})",
    };
    return entity;
}

const Entity& describe(const Tool*)
{
    static const Entity entity{
        .name = "framework_tool",
        .doc = "Something that an agent may call, offered by an MCP server.",
        .fields =
            {
                field("name", &Tool::name, "Unique.", {.required = true, .min_length = 1}),
                field("server", &Tool::server, "MCP server that offers it; for our own tools: builtin, custom, hitl.",
                      {.required = true, .min_length = 1}),
                field("description", &Tool::description, "What the model is told about it.", {.required = true}),
                field("input_schema", &Tool::input_schema, "JSON Schema of its arguments.", {.required = true}),
                field("output_schema", &Tool::output_schema, "JSON Schema of its results."),
                field("timeout_seconds", &Tool::timeout_seconds, "How long a call may take.", {.min = 1}),
                field("fallback_tools", &Tool::fallback_tools, "Tools that are tried in this order when it fails.",
                      {.unique = true}),
                field("ext", &Tool::ext, "What Cadre knows about it and this format has no field for.",
                      {.extension = true}),
            },
        .example = R"({"name":"search","server":"web","description":"Searches the web.",
            "input_schema":{"type":"object","properties":{"query":{"type":"string"}}},"output_schema":null,
            "timeout_seconds":300,"fallback_tools":["old_search"]})",
    };
    return entity;
}

std::span<const EnumName> names_of(const TransportType*)
{
    static constexpr EnumName names[] = {
        {int(TransportType::stdio), "stdio"},
        {int(TransportType::sse), "sse"},
        {int(TransportType::streamable_http), "streamable_http"},
        {int(TransportType::streamable_http), "streamable-http"},  // as other programs' files spell it
    };
    return names;
}

const Entity& describe(const StdioConfig*)
{
    static const Entity entity{
        .name = "stdio_server_config",
        .doc = "How to start an MCP server that talks over its standard input and output.",
        .fields =
            {
                field("command", &StdioConfig::command, "Path of the program.", {.required = true, .min_length = 1}),
                field("args", &StdioConfig::args, "Its arguments."),
                field("env", &StdioConfig::env, "Its environment variables; `${VAR}` takes one of ours."),
            },
        .example = R"({"command":"npx","args":["-y","@modelcontextprotocol/server-memory"],"env":{"LANG":"C"}})",
    };
    return entity;
}

const Entity& describe(const HttpConfig*)
{
    static const Entity entity{
        .name = "http_server_config",
        .doc = "Where an MCP server listens, for the transports sse and streamable_http.",
        .fields =
            {
                field("url", &HttpConfig::url, "URL of the endpoint.", {.required = true, .format = Format::url}),
                field("headers", &HttpConfig::headers, "Sent with every request; `${VAR}` takes a variable of ours.",
                      {.extension = true}),
            },
        .example = R"({"url":"https://tools.example.com/sse"})",
    };
    return entity;
}

const Entity& describe(const MCPServer*)
{
    static const Entity entity{
        .name = "mcp_server",
        .doc = "A connection to an MCP (Model Context Protocol) server, which offers tools.",
        .fields =
            {
                field("name", &MCPServer::name, "Unique.", {.required = true, .min_length = 1}),
                field("transport", &MCPServer::transport, "How to talk to it.", {.required = true}),
                field("config", &MCPServer::config, "`command`, `args` and `env` for stdio; `url` for the others.",
                      {.required = true}),
                field("ext", &MCPServer::ext, "What Cadre knows about it and this format has no field for.",
                      {.extension = true}),
            },
        .checks = {check<MCPServer>({"transport", "config"},
                                    "`config` is a [stdio_server_config](stdio_server_config.md) for stdio, and a "
                                    "[http_server_config](http_server_config.md) for the other transports.",
                                    check_server, R"({"allOf":[
            {"if":{"properties":{"transport":{"const":"stdio"}}},
             "then":{"properties":{"config":{"$ref":"#/$defs/stdio_server_config"}}}},
            {"if":{"properties":{"transport":{"enum":["sse","streamable_http","streamable-http"]}}},
             "then":{"properties":{"config":{"$ref":"#/$defs/http_server_config"}}}}]})")},
        .example = R"({"name":"web","transport":"sse","config":{"url":"https://tools.example.com/sse"}})",
    };
    return entity;
}

StdioConfig stdio_config(const MCPServer& server)
{
    return from_json<StdioConfig>(server.config);
}

HttpConfig http_config(const MCPServer& server)
{
    return from_json<HttpConfig>(server.config);
}

void check_agents(std::span<const Agent> agents, Problems& problems)
{
    std::vector<std::string> names;
    for (const Agent& agent : agents) names.push_back(agent.name);
    check_distinct(names, {}, "name", problems);
}

void check_tools(std::span<const Tool> tools, Problems& problems)
{
    std::map<std::string_view, std::string_view> owners;
    const Path list;
    for (std::size_t i = 0; i < tools.size(); ++i) {
        const auto [owner, added] = owners.emplace(tools[i].name, tools[i].server);
        const Path here(list, i);
        if (!added)
            problems.add(Path(here, "server"), ProblemKind::duplicate,
                         fmt::format("{} already belongs to {}", in_quotes(tools[i].name), in_quotes(owner->second)));
    }
}

}  // namespace cadre::model::framework
