// Document 000: Agent with its LLMConfig, Tool and MCPServer, with their exact names; what they have no field for is in
// `ext`.
#pragma once

#include "model/agent.hpp"
#include "model/problem.hpp"
#include "model/tool.hpp"
#include "model/type.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::model::framework {

struct LLMConfig {
    std::string endpoint{};
    std::string model{};
    std::optional<std::string> api_key{};

    bool operator==(const LLMConfig&) const = default;
};
const Entity& describe(const LLMConfig*);

struct Agent {
    std::string name{};
    std::string role{};
    std::string system_prompt{};
    std::vector<std::string> tools{};
    int max_iterations = 10;
    LLMConfig llm_config{};
    double temperature = 0.7;
    boost::json::object ext{};

    bool operator==(const Agent&) const = default;
};
const Entity& describe(const Agent*);

struct Tool {
    std::string name{};
    std::string server{};
    std::string description{};
    boost::json::object input_schema{};
    std::optional<boost::json::object> output_schema{};
    int timeout_seconds = kToolTimeout;
    std::vector<std::string> fallback_tools{};
    boost::json::object ext{};

    bool operator==(const Tool&) const = default;
};
const Entity& describe(const Tool*);

/// The document has the first two; streamable HTTP is what took the place of sse (S-24).
enum class TransportType : std::uint8_t { stdio, sse, streamable_http };
std::span<const EnumName> names_of(const TransportType*);

struct StdioConfig {
    std::string command{};
    std::vector<std::string> args{};
    Dict<std::string> env{};

    bool operator==(const StdioConfig&) const = default;
};
const Entity& describe(const StdioConfig*);

struct HttpConfig {
    std::string url{};
    Dict<std::string> headers{};

    bool operator==(const HttpConfig&) const = default;
};
const Entity& describe(const HttpConfig*);

struct MCPServer {
    std::string name{};
    TransportType transport = TransportType::stdio;
    boost::json::object config{};  // its shape follows the transport: read it with the two functions below
    boost::json::object ext{};

    bool operator==(const MCPServer&) const = default;
};
const Entity& describe(const MCPServer*);

/// The config of a server whose transport is stdio; of one whose transport is sse or streamable_http.
StdioConfig stdio_config(const MCPServer& server);
HttpConfig http_config(const MCPServer& server);

/// The agent as `agents/{name}.json` shows it. `llm` is what it uses when it has no model of its own: the team's. It comes
/// back whole, but for a key that stands in it literally: secrets are not written.
Agent view(const model::Agent& agent, const LlmConfig& llm);
/// Never fails for an agent that was read: its description asks for all that the other form does.
model::Agent from(const Agent& agent);
/// The JSON of from(agent), right or wrong.
boost::json::object kernel_fields(const Agent& agent);
/// Reports what is wrong with that JSON, where the agent's own has it.
void check_kernel_fields(const Agent& agent, const Path& path, Problems& problems);
/// What a JSON Schema can say of check_kernel_fields().
std::string kernel_fields_schema();

Tool view(const model::Tool& tool);
model::Tool from(const Tool& tool);

/// Reports agents of one name.
void check_agents(std::span<const Agent> agents, Problems& problems);
/// Reports tools of one name: a tool belongs to exactly one server.
void check_tools(std::span<const Tool> tools, Problems& problems);

}  // namespace cadre::model::framework
