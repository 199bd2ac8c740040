#include "base/suggest.hpp"
#include "tools/tool.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>

namespace cadre::tools {

namespace {

std::string_view name_of(const std::shared_ptr<Tool>& tool)
{
    return tool->definition().name;
}

}  // namespace

void Registry::add(std::shared_ptr<Tool> tool)
{
    assert(tool);
    const auto place = std::ranges::lower_bound(tools_, name_of(tool), {}, name_of);
    if (place != tools_.end() && name_of(*place) == name_of(tool))
        throw Error(Code::conflict,
                    fmt::format("there is already a tool {}; give one of them another name", in_quotes(name_of(tool))));
    tools_.insert(place, std::move(tool));
}

std::shared_ptr<Tool> Registry::find(std::string_view name) const
{
    const auto place = std::ranges::lower_bound(tools_, name, {}, name_of);
    return place != tools_.end() && name_of(*place) == name ? *place : nullptr;
}

std::shared_ptr<Tool> Registry::get(std::string_view name) const
{
    if (auto tool = find(name)) return tool;
    std::vector<std::string> names;
    names.reserve(tools_.size());
    for (const auto& tool : tools_) names.emplace_back(name_of(tool));
    const auto near = nearest(name, names);
    throw Error(Code::not_found, fmt::format("there is no tool {}{}", in_quotes(name),
                                             near ? fmt::format(", did you mean {}?", in_quotes(*near)) : ""));
}

std::vector<std::shared_ptr<Tool>> Registry::all() const
{
    return tools_;
}

}  // namespace cadre::tools
