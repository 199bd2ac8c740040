#include "model/views/framework_servers.hpp"

#include "model/describe.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace cadre::model::framework {

namespace {

/// About the clients' windows, so not about us.
constexpr std::string_view kClientFields[] = {"alwaysAllow", "autoApprove", "description", "disabledTools", "envFile",
                                              "icon",        "timeout",     "cwd",         "gallery",       "version"};

/// What desktop clients and editors write beside their servers.
constexpr std::string_view kBesideServers[] = {"inputs", "globalShortcut", "preferences", "theme"};

/// Servers, as the members of a schema: a list of them, or a map of their names.
constexpr std::string_view kServers = R"(
    "if":{"type":"array"},
    "then":{"items":{"$ref":"#/$defs/mcp_server"}},
    "else":{"type":"object","propertyNames":{"minLength":1},"properties":{"$schema":{"type":"string"}},"additionalProperties":{
        "if":{"required":["config"]},
        "then":{"$ref":"#/$defs/named_mcp_server"},
        "else":{"if":{"anyOf":[{"required":["url"]},{"required":["serverUrl"]}]},
                "then":{"$ref":"#/$defs/desktop_http_server"},
                "else":{"$ref":"#/$defs/desktop_stdio_server"}}}})";

/// Without `servers` around them, or as the block of a desktop client, which may stand among some of the client's settings.
const std::string& bare_form()
{
    static const std::string text = fmt::format(R"({{"if":{{"type":"object","required":["mcpServers"]}},
            "then":{{"properties":{{"$schema":{{"type":"string"}},"mcpServers":{{{0}}},"servers":{{{0}}},
                "tools":{{"type":"array","items":{{"$ref":"#/$defs/framework_tool"}}}},
                "inputs":true,"globalShortcut":true,"preferences":true,"theme":true}},"additionalProperties":false}},
            "else":{{"not":{{"type":"object","required":["servers"]}},{0}}}}})",
                                                kServers);
    return text;
}

constexpr std::string_view kNameBefore = "Not used: the name before it counts.";

template <class T, class M>
M T::* in(M DesktopServer::* member)
{
    return member;
}

template <class T>
std::vector<Field> with_common_fields(std::vector<Field> fields)
{
    const Field common[] = {
        field("type", in<T>(&T::type), "How to talk to it; left out: http with a URL, else stdio."),
        field("transport", in<T>(&T::transport), "The same, as some clients spell it."),
        field("disabled", in<T>(&T::disabled), "Whether it is left out."),
        field("name", in<T>(&T::name), kNameBefore),
        field("ext", in<T>(&T::ext), "What Cadre knows about it and this format has no field for.",
              {.extension = true}),
    };
    fields.insert(fields.end(), std::begin(common), std::end(common));
    return fields;
}

}  // namespace

const Entity& describe(const NamedMCPServer*)
{
    static const Entity entity = [] {
        Entity named = describe(static_cast<const MCPServer*>(nullptr));
        named.name = "named_mcp_server";
        named.doc = "An MCP server in a map, where its name stands before it.";
        named.example = R"({"transport":"sse","config":{"url":"https://tools.example.com/sse"}})";
        for (Field& field : named.fields)
            if (field.name == "name") field.doc = kNameBefore, field.rule = {.extension = true};
        return named;
    }();
    return entity;
}

std::span<const EnumName> names_of(const DesktopTransport*)
{
    static constexpr EnumName names[] = {{int(DesktopTransport::stdio), "stdio"},
                                         {int(DesktopTransport::sse), "sse"},
                                         {int(DesktopTransport::http), "http"},
                                         {int(DesktopTransport::http), "streamable-http"},
                                         {int(DesktopTransport::http), "streamable_http"}};
    return names;
}

const Entity& describe(const DesktopStdioServer*)
{
    using Server = DesktopStdioServer;
    static const Entity entity{
        .name = "desktop_stdio_server",
        .doc = "An MCP server to start, as desktop clients write it.",
        .fields = with_common_fields<Server>({
            field("command", &Server::command, "Path of the program.", {.required = true, .min_length = 1}),
            field("args", &Server::args, "Its arguments."),
            field("env", &Server::env, "Its environment variables; `${VAR}` takes one of ours."),
        }),
        .example = R"({"command":"npx","args":["-y","@modelcontextprotocol/server-memory"],"env":{"LANG":"C"},
            "type":null,"transport":null,"disabled":false,"name":null})",
        .ignored = kClientFields,
    };
    return entity;
}

const Entity& describe(const DesktopHttpServer*)
{
    using Server = DesktopHttpServer;
    static const Entity entity{
        .name = "desktop_http_server",
        .doc = "An MCP server that listens somewhere, as desktop clients write it.",
        .fields = with_common_fields<Server>({
            field("url", &Server::url, "URL of the endpoint.", {.format = Format::url}),
            field("serverUrl", &Server::server_url, "The same, as some clients spell it.", {.format = Format::url}),
            field("headers", &Server::headers, "Sent with every request; `${VAR}` takes a variable of ours."),
        }),
        .demands = {{.when = {!given("serverUrl")}, .then = given("url"), .says = "is required"}},
        .example = R"({"url":"https://tools.example.com/mcp","serverUrl":null,"headers":{"Authorization":"${TOKEN}"},
            "type":"http","transport":null,"disabled":false,"name":null})",
        .ignored = kClientFields,
    };
    return entity;
}

const Entity& describe(const MCPServers*)
{
    static const Entity entity{
        .name = "mcp_servers",
        .doc = "The MCP (Model Context Protocol) servers of a project, and tools of theirs that are described by hand. "
               "A bare list or map of "
               "servers "
               "is read too, and a `mcpServers` block as desktop clients have it.",
        .fields =
            {
                field("servers", &MCPServers::servers,
                      "A list of [mcp_server](mcp_server.md)s, or a map from names to servers, each of them a "
                      "[named_mcp_server](named_mcp_server.md), a [desktop_stdio_server](desktop_stdio_server.md) or a "
                      "[desktop_http_server](desktop_http_server.md)."),
                field("tools", &MCPServers::tools, "Tools of these servers."),
            },
        .home = {Home::Kind::yaml_file, "`config/mcp_servers.yaml`, `mcp.json` or `.mcp.json`"},
        .checks = {{.doc = "The names of servers are unique, and so are those of tools.",
                    .schema = fmt::format(R"({{"properties":{{"servers":{{{}}}}}}})", kServers)}},
        .example = R"({"servers":[{"name":"web","transport":"sse","config":{"url":"https://tools.example.com/sse"}}],
            "tools":[]})",
        .other_form = bare_form(),
        .ignored = kBesideServers,
    };
    return entity;
}

}  // namespace cadre::model::framework
