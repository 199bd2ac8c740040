#include "model/tool.hpp"

#include "model/describe.hpp"

namespace cadre::model {

std::span<const EnumName> names_of(const ToolType*)
{
    static constexpr EnumName names[] = {{int(ToolType::builtin), "builtin"},
                                         {int(ToolType::custom), "custom"},
                                         {int(ToolType::mcp), "mcp"},
                                         {int(ToolType::hitl), "hitl"}};
    return names;
}

std::span<const EnumName> names_of(const Effect*)
{
    static constexpr EnumName names[] = {{int(Effect::pure), "pure"},
                                         {int(Effect::idempotent), "idempotent"},
                                         {int(Effect::keyed), "keyed"},
                                         {int(Effect::once), "once"}};
    return names;
}

std::span<const EnumName> names_of(const Permission*)
{
    static constexpr EnumName names[] = {
        {int(Permission::allow), "allow"}, {int(Permission::ask), "ask"}, {int(Permission::deny), "deny"}};
    return names;
}

const Entity& describe(const Tool*)
{
    static const Entity entity{
        .name = "tool",
        .doc = "Something that an agent may call.",
        .fields =
            {field("name", &Tool::name, "Unique in its team.", {.required = true, .min_length = 1, .max_length = 128}),
             field("type", &Tool::type,
                   "Who runs it: Cadre, a program of yours, an MCP server, or a person (`hitl`, human in the loop).",
                   {.required = true}),
             field("config", &Tool::config, "Settings of this tool."),
             field("path", &Tool::path, "The program of a custom tool.", {.min_length = 1}),
             field("function", &Tool::function, "The function of that program.", {.min_length = 1}),
             field("server_url", &Tool::server_url, "Where the MCP server of the tool listens.",
                   {.format = Format::url}),
             field("timeout", &Tool::timeout, "Seconds that a call may take, or a person to answer; null: 300.",
                   {.min = 1}),
             field("escalation_policy", &Tool::escalation_policy, "Who is asked when no answer came in time.",
                   {.min_length = 1}),
             field("description", &Tool::description, "What the model is told about it.", {.extension = true}),
             field("input_schema", &Tool::input_schema, "JSON Schema of its arguments.", {.extension = true}),
             field("output_schema", &Tool::output_schema, "JSON Schema of its result.", {.extension = true}),
             field("server", &Tool::server, "Name of the configured MCP server that has it.",
                   {.min_length = 1, .extension = true}),
             field("fallback_tools", &Tool::fallback_tools, "Tools that are tried in this order when it fails.",
                   {.unique = true, .extension = true}),
             field("retry_policy", &Tool::retry_policy, "When to call again after a failure.", {.extension = true}),
             field("effect", &Tool::effect,
                   "What a second call would do: nothing (`pure`), the same again (`idempotent`; `keyed` when the tool "
                   "knows Cadre's "
                   "key), or all of it twice (`once`, which Cadre never repeats).",
                   {.extension = true}),
             field(
                 "permission", &Tool::permission,
                 "Whether a call is allowed, a person is asked first, or it is refused; null: as Cadre's defaults say.",
                 {.extension = true}),
             field("max_parallel", &Tool::max_parallel, "How many calls may run at once; null: no limit.",
                   {.min = 1, .extension = true})},
        .demands = {{.when = {is("type", {"custom"})},
                     .then = given("path"),
                     .says = "is required: it names the program of a custom tool"},
                    {.when = {is("type", {"mcp"}), !given("server")},
                     .then = given("server_url"),
                     .says = "is required: it says where the server of an MCP tool listens; or name one of "
                             "config/mcp_servers.yaml as server"}},
        .example = R"({"name":"search","type":"mcp","config":{"region":"eu"},"path":null,"function":null,
"server_url":"https://tools.example.org/mcp","timeout":20,"escalation_policy":null})"};
    return entity;
}

}  // namespace cadre::model
