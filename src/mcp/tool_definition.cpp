#include "mcp/tool_definition.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sha256.hpp"
#include "mcp/members.hpp"
#include "schema/schema.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace cadre::mcp {

namespace {

constexpr std::size_t kLongestName = 128;

/// What the name may be made of is what vendors' APIs, files and people can bear; the server is asked by its own spelling.
bool is_name(std::string_view name)
{
    return !name.empty() && name.size() <= kLongestName &&
           std::ranges::all_of(name, [](char c) { return c > 0x20 && c < 0x7F && c != '"' && c != '\\'; });
}

/// A schema that cannot be checked against, or is made to cost, is found here and not in the middle of a run.
std::optional<std::string> schema_problem(const json::object& given)
{
    try {
        schema::Schema::compile(given);
        return std::nullopt;
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace

Described read_definition(const json::object& listed, const std::string& server, bool trusted)
{
    const std::string name(text_in(listed, "name"));
    if (!is_name(name)) return {.problem = "its name is not one of 1 to 128 visible ASCII characters"};
    if (cadre::to_text(json::value(listed)).size() > kLargestDefinition)
        return {.problem = fmt::format("its description is larger than {} KiB", kLargestDefinition >> 10)};
    model::Tool tool{.name = name,
                     .type = model::ToolType::mcp,
                     .description = std::string(text_in(listed, "description")),
                     .server = server};
    const json::object* annotations = object_in(listed, "annotations");
    if (tool.description.empty()) tool.description = text_in(listed, "title");
    if (tool.description.empty() && annotations) tool.description = text_in(*annotations, "title");
    const json::object* input = object_in(listed, "inputSchema");
    if (!input) return {.problem = "it has no inputSchema"};
    if (auto problem = schema_problem(*input)) return {.problem = "its inputSchema is none: " + *problem};
    tool.input_schema = *input;
    if (const json::object* output = object_in(listed, "outputSchema")) {
        if (auto problem = schema_problem(*output)) return {.problem = "its outputSchema is none: " + *problem};
        tool.output_schema = *output;
    }
    if (trusted && annotations) {
        if (is_true(*annotations, "readOnlyHint")) tool.effect = model::Effect::pure;
        else if (is_true(*annotations, "idempotentHint")) tool.effect = model::Effect::idempotent;
    }
    return {.tool = std::move(tool)};
}

std::string definition_hash(const json::object& listed)
{
    json::object said;
    for (const char* field : {"name", "title", "description", "inputSchema", "outputSchema", "annotations"})
        if (const json::value* value = listed.if_contains(field)) said[field] = *value;
    return to_hex(sha256(to_canonical_text(said)));
}

std::vector<std::string> tool_names(std::span<const Offered> offered, const std::set<std::string>& taken)
{
    std::map<std::string_view, int> owners;
    for (const Offered& one : offered) ++owners[one.tool];
    std::set<std::string> given = taken;
    const auto is_clear = [&](const Offered& one) { return owners[one.tool] == 1 && !taken.contains(one.tool); };
    for (const Offered& one : offered)
        if (is_clear(one)) given.insert(one.tool);
    std::vector<std::string> names;
    for (const Offered& one : offered) {
        std::string name = one.tool;
        if (!is_clear(one)) {
            name = one.server + "__" + one.tool;
            while (!given.insert(name).second) name += '_';  // another server's tool is called like that
        }
        names.push_back(std::move(name));
    }
    return names;
}

}  // namespace cadre::mcp
