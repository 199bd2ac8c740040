// What the route door's three nodes hand to each other (document 002): the router's choice, each agent's answer.
#pragma once

#include "model/problem.hpp"
#include "model/type.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::model::orchestration {

struct RouterExecutorOptions;

/// What the router decided.
struct AgentChoiceResult {
    std::string agent_id{};
    double confidence = 0;
    std::optional<std::string> reasoning{};
    std::optional<std::vector<std::string>> additional_agents{};
    bool operator==(const AgentChoiceResult&) const = default;
};
const Entity& describe(const AgentChoiceResult*);

/// Reports chosen agents that are not registered. The ids that stand for asking back and for giving up are always known.
void check_known(const AgentChoiceResult& choice, std::span<const std::string> registered,
                 const RouterExecutorOptions& options, Problems& problems);

/// The document's AgentResponse: what one agent answered (C-07).
struct AgentReplyView {
    std::string agent_id{};
    std::string content{};
    bool success = false;
    std::optional<std::string> error_message{};
    std::int64_t execution_time_ms = 0;
    bool operator==(const AgentReplyView&) const = default;
};
const Entity& describe(const AgentReplyView*);

/// Where a routed request is; for debugging, never stored and never served.
struct WorkflowState {
    std::optional<std::string> current_executor{};
    std::optional<std::vector<boost::json::value>> pending_operations{};
    Time start_time{};
    std::optional<boost::json::object> metadata{};
    bool operator==(const WorkflowState&) const = default;
};
const Entity& describe(const WorkflowState*);

}  // namespace cadre::model::orchestration
