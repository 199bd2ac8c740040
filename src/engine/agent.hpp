// Agents as runs use them: taken from a task's pinned configuration, with everything that is the same for every step
// computed once.
#pragma once

#include "base/sha256.hpp"
#include "llm/model.hpp"
#include "model/team.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::tools {
class Registry;
}

namespace cadre::engine {

class PromptTemplate;

/// Definitions of a task's tools by name, shared by its agents.
using ToolTable = std::map<std::string, model::Tool, std::less<>>;

struct Agent {
    std::string name{};
    std::string instructions{};                      // where they are a template: its source
    std::shared_ptr<const PromptTemplate> prompt{};  // what they are made from at each step; null: they are as they are
    std::vector<model::LlmConfig> models{};  // the one that it speaks with, and those that stand in for it, in order
    std::vector<std::string> tools{};        // the only ones that it may call
    std::shared_ptr<const std::vector<llm::ToolSpec>> tool_specs{};  // that every request has
    std::shared_ptr<const std::vector<llm::ToolSpec>> more_specs{};  // that it has to search for; null: none
    llm::Options options{};
    std::shared_ptr<const ToolTable> definitions{};
    std::shared_ptr<const model::Permissions> permissions{};  // the team's
    bool is_watched = false;                                  // a person must agree to each of its calls
    int max_iterations = 10;
    std::optional<Millis> timeout{};  // of each of its model calls
    int max_parallel_tasks = 1;       // turns that it takes at the same time
    model::MemoryConfig memory{};     // its own, else its team's

    /// `openai/gpt-5-mini`, for people and for comparing.
    std::string model() const;

    /// What the task is pinned to for that tool; null when the agent was not granted it.
    const model::Tool* find_tool(std::string_view tool) const;

    Digest name_digest{};
    Digest instructions_digest{};
    Digest tools_digest{};  // names, descriptions and schemas
};

/// What a task is pinned to: the agents of its team, in order, and what they are made of. It never changes; a changed team is
/// another one, beside it.
struct TeamAgents : std::vector<Agent> {
    TeamAgents() = default;
    TeamAgents(std::vector<Agent> agents, std::shared_ptr<const model::Team> of, std::string hash)
        : vector(std::move(agents)), team(std::move(of)), key(std::move(hash))
    {}

    std::shared_ptr<const model::Team> team{};  // null: the task needs none
    std::string key{};                          // the hash of its text
    std::string setup{};                        // a document beside it, for patterns; empty: none
};
/// Tasks that are pinned to the same team share it.
using Agents = std::shared_ptr<const TeamAgents>;

/// Computes what is the same for every step from what the agent is now.
void digest(Agent& agent);

/// Adds the definitions of the tools that its agents are granted and that the process has, so that what a task is pinned to is
/// whole. What the team says of a tool itself (permission, timeout) stays. Throws Error(not_found) for a tool that nobody has.
void pin_tools(model::Team& team, const tools::Registry& tools);

/// A task's agents, of a team whose tools are pinned. `model` wins over what agents and team say, unless it is empty. In the mode
/// `hitl`, or where the team names points at which people decide, calls need their consent.
std::vector<Agent> agents_of(const model::Team& team, std::string_view model, model::ExecutionMode mode);

/// `provider/model` of a configuration; `script:FILE` and its like as they are.
std::string model_spec(const model::LlmConfig& config);
/// The configuration that a spec stands for: `provider/model`, `provider:model`, `script:FILE`.
model::LlmConfig llm_from_spec(std::string_view spec);

}  // namespace cadre::engine
