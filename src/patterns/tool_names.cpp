#include "patterns/tool_names.hpp"

#include "engine/run.hpp"

#include <boost/json.hpp>

namespace cadre::patterns {

std::string pinned_name(const engine::Run& run, const std::string& tool)
{
    std::string found = tool;
    for (const model::Tool& one : run.team().tools) {
        if (one.name == tool) return tool;
        const boost::json::value* remote = one.config.if_contains(model::kRemoteName);
        if (!one.server || !remote || !remote->is_string()) continue;
        const std::string name(remote->get_string());
        if (tool == name || tool == *one.server + "." + name) found = one.name;
    }
    return found;
}

}  // namespace cadre::patterns
