#include "mcp/http_headers.hpp"

#include "base/base64.hpp"
#include "base/error.hpp"
#include "mcp/members.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace cadre::mcp {

namespace {

constexpr std::string_view kAnnotation = "x-mcp-header";

bool is_token(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

/// Annotations stand at properties, and properties of properties; anywhere else nobody could say which value is meant.
struct Walk {
    std::optional<std::string> problem{};
    std::set<std::string> seen{};

    void schema(const json::value& value, bool is_property, bool reachable)
    {
        if (problem) return;
        if (const auto* list = value.if_array()) {
            for (const json::value& one : *list) schema(one, false, false);
            return;
        }
        const auto* object = value.if_object();
        if (!object) return;
        if (const auto* name = object->if_contains(kAnnotation)) annotation(*name, *object, is_property && reachable);
        for (const auto& [key, member] : *object) {
            if (key == "properties" && member.is_object()) {
                for (const auto& property : member.get_object()) schema(property.value(), true, reachable);
            } else if (key != "default" && key != "const" && key != "enum" && key != "examples") {
                schema(member, false, false);
            }
        }
    }

    void annotation(const json::value& value, const json::object& property, bool allowed)
    {
        const auto say = [&](const char* why) {
            if (!problem) problem = fmt::format("`{}` {}", kAnnotation, why);
        };
        if (!value.is_string() || value.get_string().empty()) return say("must be a name");
        std::string name(value.get_string());
        if (!std::ranges::all_of(name, is_token)) return say("has a character that no header name has");
        if (!allowed) return say("is on something that is not a property of the arguments");
        const std::string_view type = text_in(property, "type");
        if (type != "string" && type != "integer" && type != "boolean")
            return say("is on a property that is neither text nor an integer nor a boolean");
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (!seen.insert(name).second) return say("has a name that another one has");
    }
};

void add(net::HttpHeaders& headers, const json::object& schema, const json::object& arguments)
{
    const json::object* properties = object_in(schema, "properties");
    if (!properties) return;
    for (const auto& [name, property] : *properties) {
        const json::value* argument = arguments.if_contains(name);
        const json::object* described = property.if_object();
        if (!argument || argument->is_null() || !described) continue;
        if (argument->is_object()) add(headers, *described, argument->get_object());
        const std::string_view header = text_in(*described, kAnnotation);
        if (header.empty() || argument->is_object() || argument->is_array()) continue;
        const std::string value =
            argument->is_string() ? std::string(argument->get_string()) : cadre::to_text(*argument);
        headers.push_back({"Mcp-Param-" + std::string(header), header_value(value)});
    }
}

}  // namespace

std::string header_value(std::string_view text)
{
    const bool visible = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c <= 0x7E; });
    const bool padded = text.starts_with(' ') || text.ends_with(' ');
    if (visible && !padded && !text.starts_with("=?base64?")) return std::string(text);
    return "=?base64?" + to_base64(text) + "?=";
}

net::HttpHeaders standard_headers(std::string_view version, std::string_view method, const json::object& params)
{
    net::HttpHeaders headers{{"MCP-Protocol-Version", std::string(version)}};
    if (!method.empty()) headers.push_back({"Mcp-Method", std::string(method)});
    const std::string_view field = method == "tools/call" || method == "prompts/get" ? "name"
                                   : method == "resources/read"                      ? "uri"
                                   : method.starts_with("tasks/")                    ? "taskId"
                                                                                     : "";
    if (!field.empty()) headers.push_back({"Mcp-Name", header_value(text_in(params, field))});
    return headers;
}

std::optional<std::string> header_problem(const json::object& schema)
{
    Walk walk;
    walk.schema(schema, false, true);
    return walk.problem;
}

net::HttpHeaders parameter_headers(const json::object& schema, const json::object& arguments)
{
    net::HttpHeaders headers;
    add(headers, schema, arguments);
    return headers;
}

}  // namespace cadre::mcp
