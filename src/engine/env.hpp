// Env: everything of the outside world that the engine may use. The real one is wired in cli; the simulator has its own.
#pragma once

#include "base/id.hpp"
#include "base/log.hpp"
#include "engine/tool_guard.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace cadre {
class Loop;
class Pool;
class Random;
}  // namespace cadre

namespace cadre::llm {
class Model;
}
namespace cadre::model {
struct LlmConfig;
struct Tool;
}  // namespace cadre::model
namespace cadre::storage {
class Store;
}
namespace cadre::tools {
class Registry;
class Tool;
class Toolbox;
}  // namespace cadre::tools

namespace cadre::engine {

class ArtifactPort;
class Compactor;
class Guard;
class MemoryPort;
class Router;
class Sender;
struct TaskSpec;

/// All of it outlives the engine.
struct Env {
    Loop& loop;
    Pool& pool;
    Random& random;
    storage::Store& store;
    const tools::Registry& tools;
    /// The model that is configured so, for that task of the project in that folder. Throws Error that says what to do when there
    /// is none.
    std::function<std::shared_ptr<llm::Model>(const model::LlmConfig& config, const Id& task,
                                              const std::string& project)>
        models;
    /// The task's `artifacts/` folder; made when a tool first needs it.
    std::function<std::filesystem::path(const Id& task)> workspace;
    /// Who has the tools that belong to a project: programs of its own, MCP servers. Null: nobody.
    tools::Toolbox* toolbox = nullptr;
    Log log;
    std::string owner = "local";  // who holds leases
    std::shared_ptr<ToolGuard> guard = std::make_shared<ToolGuard>();

    // What runs ask of other rooms. Null: there is none, and who asks is told so; guardrails and compaction are passed by.
    MemoryPort* memory = nullptr;
    ArtifactPort* artifacts = nullptr;
    Sender* sender = nullptr;
    Router* router = nullptr;
    Guard* guardrails = nullptr;
    Compactor* compactor = nullptr;
};

/// The tool that a task is pinned to, as this process has it; null: it has not, and `why` goes on from "needs the tool x, ".
std::shared_ptr<tools::Tool> find_tool(const Env& env, const model::Tool& pinned, const TaskSpec& spec,
                                       std::string& why);

}  // namespace cadre::engine
