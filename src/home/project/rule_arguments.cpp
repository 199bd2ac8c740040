#include "home/project/rule_arguments.hpp"

#include "base/error.hpp"
#include "base/time.hpp"
#include "config/read_into.hpp"
#include "model/call_pattern.hpp"
#include "net/loop.hpp"
#include "tools/builtin.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace cadre::home {
namespace {

using Arguments = std::vector<std::string>;

/// Nothing: it may take anything.
std::optional<Arguments> arguments_of(const std::optional<boost::json::object>& schema)
{
    const auto* properties = schema ? schema->if_contains("properties") : nullptr;
    if (!properties || !properties->is_object()) return std::nullopt;
    if (schema->contains("patternProperties") || schema->contains("$ref") || schema->contains("allOf") ||
        schema->contains("anyOf") || schema->contains("oneOf"))
        return std::nullopt;
    Arguments names;
    for (const auto& member : properties->get_object()) names.emplace_back(member.key());
    return names;
}

/// Of the tools that come with Cadre. Programs are not among those that a clock is enough for.
const std::map<std::string, std::optional<Arguments>>& built_in()
{
    static const auto all = [] {
        tools::Registry registry;
        tools::add_builtin_tools(registry, system_clock());
        std::map<std::string, std::optional<Arguments>> found;
        for (const auto& tool : registry.all())
            found[tool->definition().name] = arguments_of(tool->definition().input_schema);
        found["ask_human"] = arguments_of(tools::ask_human_definition().input_schema);
        found["shell"] = Arguments{"command"};
        found["python"] = Arguments{"code"};
        found["fetch"] = Arguments{"url", "raw"};
        return found;
    }();
    return all;
}

std::optional<Arguments> known_arguments(const model::Team& team, const std::string& tool)
{
    const auto own = std::ranges::find(team.tools, tool, &model::Tool::name);
    if (own != team.tools.end() && own->type != model::ToolType::builtin)
        return own->type == model::ToolType::custom ? arguments_of(own->input_schema) : std::nullopt;
    const auto found = built_in().find(tool);
    return found == built_in().end() ? std::nullopt : found->second;
}

}  // namespace

void check_rule_arguments(const model::Team& team, const config::File& file, config::Findings& findings)
{
    const std::pair<const char*, const std::vector<std::string>*> lists[] = {
        {"deny", &team.permissions.deny}, {"allow", &team.permissions.allow}, {"ask", &team.permissions.ask}};
    for (const auto& [list, patterns] : lists)
        for (std::size_t i = 0; i < patterns->size(); ++i) {
            const std::string& pattern = (*patterns)[i];
            const auto known = known_arguments(team, std::string(model::tool_part(pattern)));
            if (!known) continue;
            const config::PathSteps place{"permissions", list, i};
            const config::Found found = config::find(file.document->value, file.document->root, place);
            for (const std::string& name : model::arguments_in(pattern))
                if (found.exact && std::ranges::find(*known, name) == known->end())
                    findings.warn(file.shown, found.place->at,
                                  fmt::format("{}: {} means no call: {} has no argument {}; it has {}",
                                              model::path_text(place), in_quotes(pattern), model::tool_part(pattern),
                                              in_quotes(name), fmt::join(*known, ", ")));
        }
}

}  // namespace cadre::home
