#include "conformance.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "mcp/context_handlers.hpp"

#include <boost/json.hpp>

#include <memory>
#include <string_view>

namespace cadre::mcp {

namespace {

std::string text_in(const json::value& value, std::string_view name)
{
    const json::value* found = value.is_object() ? value.get_object().if_contains(name) : nullptr;
    return found && found->is_string() ? std::string(found->get_string()) : std::string();
}

json::object object_in(const json::value& value, std::string_view name)
{
    const json::value* found = value.is_object() ? value.get_object().if_contains(name) : nullptr;
    return found && found->is_object() ? found->get_object() : json::object{};
}

/// Something of the type that the schema wants, for each argument.
json::object arguments_for(const json::value& tool)
{
    json::object arguments;
    for (const auto& property : object_in(object_in(tool, "inputSchema"), "properties")) {
        const std::string type = text_in(property.value(), "type");
        if (type == "string") arguments[property.key()] = "text";
        else if (type == "integer" || type == "number") arguments[property.key()] = 5;
        else if (type == "boolean") arguments[property.key()] = true;
        else if (type == "array") arguments[property.key()] = json::array{};
        else arguments[property.key()] = json::object{};
    }
    return arguments;
}

Async<> call_all(Client& client)
{
    Agreeable agreeable;
    const auto tools = co_await client.list(ListKind::tools);
    for (const json::value& tool : *tools) {
        json::object arguments = arguments_for(tool);
        RequestOptions options{.handlers = &agreeable};
        co_await client.call_tool(text_in(tool, "name"), std::move(arguments), std::move(options));
    }
}

Async<> read_all_resources(Client& client)
{
    const auto resources = co_await client.list(ListKind::resources);
    for (const json::value& resource : *resources) co_await client.read_resource(text_in(resource, "uri"));
}

Async<> get_all_prompts(Client& client)
{
    const auto prompts = co_await client.list(ListKind::prompts);
    for (const json::value& prompt : *prompts) co_await client.get_prompt(text_in(prompt, "name"), {});
}

Async<> call_given(Client& client, json::object context)
{
    co_await client.list(ListKind::tools);
    const json::value* calls = context.if_contains("toolCalls");
    if (!calls || !calls->is_array()) throw Error(Code::invalid, "the context has no toolCalls");
    for (const json::value& call : calls->get_array()) {
        json::object arguments = object_in(call, "arguments");
        co_await client.call_tool(text_in(call, "name"), std::move(arguments));
    }
}

/// The schema as it was received goes back as an argument.
Async<> echo_schema(Client& client)
{
    const auto tools = co_await client.list(ListKind::tools);
    json::object schema;
    for (const json::value& tool : *tools)
        if (text_in(tool, "name") != "json_schema_echo") schema = object_in(tool, "inputSchema");
    json::object arguments{{"schema", std::move(schema)}};
    co_await client.call_tool("json_schema_echo", std::move(arguments));
}

}  // namespace

Async<json::object> Agreeable::sample(json::object)
{
    co_return json::object{{"role", "assistant"},
                           {"content", {{"type", "text"}, {"text", "This is a sampled answer."}}},
                           {"model", "none"},
                           {"stopReason", "endTurn"}};
}

Async<json::object> Agreeable::elicit(json::object params)
{
    const json::object schema = object_in(params, "requestedSchema");
    json::object content = with_defaults({}, schema);
    for (const auto& property : object_in(schema, "properties"))
        if (!content.contains(property.key()) && text_in(property.value(), "type") == "boolean")
            content[property.key()] = true;
    co_return json::object{{"action", "accept"}, {"content", std::move(content)}};
}

Async<> play(Client& client, std::string scenario, json::object context)
{
    if (scenario == "http-custom-headers") {
        co_await call_given(client, std::move(context));
    } else if (scenario == "json-schema-2020-12-preservation") {
        co_await echo_schema(client);
    } else if (scenario == "json-schema-ref-no-deref" || scenario == "initialize") {
        co_await client.list(ListKind::tools);
    } else {
        co_await call_all(client);
        co_await read_all_resources(client);
        co_await get_all_prompts(client);
    }
}

}  // namespace cadre::mcp
