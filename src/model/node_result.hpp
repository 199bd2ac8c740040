// What a node of a workflow came to, as the record of its end holds it.
#pragma once

#include "model/step.hpp"
#include "model/type.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cadre::model {

/// Something that was said in a node.
struct Said {
    std::string by{};             // an agent, or a person; empty: the node itself
    Role role = Role::assistant;  // user: a person's words; tool: a call and its result, for those who want to know all
    std::string text{};

    bool operator==(const Said&) const = default;
};
const Entity& describe(const Said*);

/// What was done in it: also of one turn of a loop, or one attempt.
struct NodeWork {
    std::vector<Said> said{};
    boost::json::object update{};      // of the state
    std::optional<std::string> key{};  // which way on, where it is the node's own to say

    bool operator==(const NodeWork&) const = default;
};
const Entity& describe(const NodeWork*);

struct NodeResult {
    NodeWork work{};
    std::vector<std::string> after{};       // the nodes before it that counted
    std::vector<std::string> next{};        // where it led
    std::optional<std::string> error{};     // it failed, and something follows all the same
    std::optional<std::string> dead_end{};  // it has ways on, and why none of them was taken
    /// The state behind it, where what the only node before it left and `update` do not tell it: messages are in the history.
    boost::json::object state{};
    boost::json::object reduced{};  // fields of it that a reducer made of the old value and the update's

    bool operator==(const NodeResult&) const = default;
};
const Entity& describe(const NodeResult*);

}  // namespace cadre::model
