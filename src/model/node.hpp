// NodeDef: one node of a workflow. `type`, `agent` and `tool` are document 000's; the rest extends it.
#pragma once

#include "model/type.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace cadre::model {

enum class NodeType : std::uint8_t { agent, tool, condition, human, loop, map, workflow, team };
std::span<const EnumName> names_of(const NodeType*);

/// What an agent hears of the nodes before it.
enum class NodeContext : std::uint8_t {
    answers,  // what each of them said
    last,     // what the last of them said
    full,     // the same with their tool calls, as text
    none,
};
std::span<const EnumName> names_of(const NodeContext*);

enum class OnError : std::uint8_t { fail, carry_on };
std::span<const EnumName> names_of(const OnError*);

/// Which of several ways that meet in a node it waits for.
enum class JoinPolicy : std::uint8_t {
    fail_fast,  // all; a failure ends the workflow
    collect,    // all; failures are values
    first,
    quorum,
};
std::span<const EnumName> names_of(const JoinPolicy*);

struct Join {
    JoinPolicy policy = JoinPolicy::fail_fast;
    std::optional<int> k{};      // quorum: how many
    Dict<std::string> winner{};  // of a field that several arms set: the node whose value counts

    bool operator==(const Join&) const = default;
};
const Entity& describe(const Join*);

struct NodeRetry {
    int max = 3;       // attempts, the first included
    double delay = 1;  // seconds between two

    bool operator==(const NodeRetry&) const = default;
};
const Entity& describe(const NodeRetry*);

/// A body that is run until a condition holds: the node's agent or tool, or a workflow.
struct LoopDef {
    int max = 0;
    std::optional<std::string> until{};  // expression over the state; nothing: `max` times
    std::optional<std::string> workflow{};
    OnError on_limit = OnError::fail;

    bool operator==(const LoopDef&) const = default;
};
const Entity& describe(const LoopDef*);

/// A body that is run for each item of a list: the node's agent or tool, or a workflow.
struct MapDef {
    std::string over{};                // expression: a list
    std::string as = "item";           // what the body calls it
    std::optional<std::string> key{};  // expression over the item: unique; nothing: its place
    int width = 8;                     // items at work at the same time
    JoinPolicy policy = JoinPolicy::fail_fast;
    std::optional<int> k{};             // quorum: how many
    std::optional<std::string> into{};  // field of the state that becomes the list of results
    std::optional<std::string> workflow{};

    bool operator==(const MapDef&) const = default;
};
const Entity& describe(const MapDef*);

struct NodeDef {
    NodeType type = NodeType::agent;
    std::optional<std::string> agent{};
    std::optional<std::string> tool{};
    std::optional<std::string> prompt{};  // template: what an agent is told, or a person asked
    NodeContext context = NodeContext::answers;
    std::optional<std::string> output{};  // field of the state that becomes its answer
    Dict<std::string> set{};              // field of the state to expression
    boost::json::object args{};           // of its tool; texts are templates
    std::optional<double> timeout{};      // seconds
    std::optional<NodeRetry> retry{};
    OnError on_error = OnError::fail;
    std::optional<Join> join{};
    std::optional<LoopDef> loop{};
    std::optional<MapDef> map{};
    std::optional<std::string> workflow{};  // of a node of type workflow: its name
    std::optional<std::string> pattern{};   // of a node of type team: a collaboration pattern of the team
    boost::json::object ext{};

    bool operator==(const NodeDef&) const = default;
};
const Entity& describe(const NodeDef*);

}  // namespace cadre::model
