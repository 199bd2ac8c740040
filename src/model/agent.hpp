// An agent: a role, a prompt, a model and the tools it may call.
#pragma once

#include "model/llm.hpp"
#include "model/memory_config.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cadre::model {

struct Entity;

struct AgentSkill {
    std::string name{};
    std::vector<std::string> examples{};

    bool operator==(const AgentSkill&) const = default;
};

/// What others are told about an agent, so that they can choose it.
struct AgentCard {
    std::string description{};
    std::vector<std::string> tags{};
    std::vector<AgentSkill> skills{};

    bool operator==(const AgentCard&) const = default;
};

struct Agent {
    std::string name{};
    std::string role{};
    std::optional<std::string> prompt_template{};  // a template file; this or `prompt`
    std::optional<LlmConfig> llm_config{};         // null: the team's
    std::vector<std::string> tools{};
    std::optional<MemoryConfig> memory_config{};  // null: the team's
    std::vector<std::string> guardrail_policies{};
    std::vector<std::string> collaboration_patterns{};
    int max_parallel_tasks = 1;

    std::optional<std::string> prompt{};  // the prompt's text itself
    std::optional<std::string> alias{};   // null: the name with - for _
    std::optional<std::string> display_name{};
    int max_iterations = 10;
    std::optional<double> temperature{};  // wins over the model's (C-08)
    std::optional<int> timeout{};         // seconds
    AgentCard card{};
    std::optional<boost::json::object> output_schema{};  // JSON Schema that its answer must meet; null: text
    std::vector<std::string> knowledge{};                // folders and files of the project, which it may search

    bool operator==(const Agent&) const = default;
};

/// What A2A calls it: its alias if it has one, else its name with - for _.
std::string alias_of(const Agent& agent);

const Entity& describe(const AgentSkill*);
const Entity& describe(const AgentCard*);
const Entity& describe(const Agent*);

}  // namespace cadre::model
