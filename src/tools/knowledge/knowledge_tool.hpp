// `search_knowledge`: an agent's own files as a tool. What it finds is told as data, with the places that it stands at.
#pragma once

#include "model/sandbox_mode.hpp"
#include "tools/tool.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cadre::net {
class Loop;
}
namespace cadre::text {
class Encoder;
}

namespace cadre::tools {

/// What such a tool is described as. `name`: `search_knowledge`, or another one where agents of one team know different files.
model::Tool knowledge_definition(std::string name, const std::vector<std::string>& paths);
/// The paths that a tool was described with; none: it is another tool.
std::vector<std::string> knowledge_paths(const model::Tool& tool);

struct KnowledgePlace {
    net::Loop& loop;
    std::filesystem::path root{};   // of the project
    std::filesystem::path cache{};  // in the home
    model::SandboxMode mode = model::SandboxMode::bubblewrap;
    std::function<std::shared_ptr<const text::Encoder>()> encoder{};  // called on the pool; null: words decide
};

/// Lives as long as its project is worked on: its index is kept up, not made anew.
std::shared_ptr<Tool> knowledge_tool(const model::Tool& described, KnowledgePlace place);

}  // namespace cadre::tools
