#include "cli/graph/drawing.hpp"

#include "base/plural.hpp"
#include "model/wire_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace cadre::cli {
namespace {

using model::NodeDef;
using model::NodeType;

using Places = std::map<std::string_view, std::size_t>;

/// What a loop or map does again and again.
std::string body_of_node(const NodeDef& node, const std::optional<std::string>& workflow)
{
    if (workflow) return "workflow " + *workflow;
    if (node.agent) return "agent " + *node.agent;
    if (node.tool) return "tool " + *node.tool;
    return "";
}

std::string about_node(const NodeDef& node)
{
    const auto with = [](std::string_view word, const std::string& what) {
        return std::string(word) + (what.empty() ? "" : " " + what);
    };
    switch (node.type) {
    case NodeType::agent: return with("agent", node.agent.value_or(""));
    case NodeType::tool: return with("tool", node.tool.value_or(""));
    case NodeType::condition: return "condition";
    case NodeType::human: return "person";
    case NodeType::loop: return with("loop:", body_of_node(node, node.loop ? node.loop->workflow : std::nullopt));
    case NodeType::map: return with("map:", body_of_node(node, node.map ? node.map->workflow : std::nullopt));
    case NodeType::workflow: return with("workflow", node.workflow.value_or(""));
    case NodeType::team: return with("team", node.pattern.value_or(""));
    }
    return "";
}

std::string join_note(const model::Join& join)
{
    switch (join.policy) {
    case model::JoinPolicy::fail_fast: return "";
    case model::JoinPolicy::collect: return "collects failures";
    case model::JoinPolicy::first: return "first to arrive";
    case model::JoinPolicy::quorum: return fmt::format("{} must arrive", join.k.value_or(1));
    }
    return "";
}

/// Whoever answers in a node whose answers are revised is not alone in it.
std::string reflection_note(const NodeDef& node, const model::Graph& graph)
{
    if (!node.agent || std::ranges::find(graph.patterns, "reflection") == graph.patterns.end()) return "";
    const model::Reflection how = graph.reflection.value_or(model::Reflection{});
    return fmt::format("reviewed by {}, up to {}", how.agent.value_or(*node.agent), plural(how.loop.max, "draft"));
}

std::vector<std::string> notes_of(const std::string& name, const NodeDef& node, const model::Graph& graph)
{
    std::vector<std::string> notes;
    if (std::ranges::find(graph.hitl_nodes, name) != graph.hitl_nodes.end()) notes.emplace_back("asks before");
    if (node.join)
        if (std::string note = join_note(*node.join); !note.empty()) notes.push_back(std::move(note));
    if (node.loop && node.loop->max > 0) notes.push_back("up to " + plural(node.loop->max, "turn"));
    if (node.map) notes.push_back("over " + node.map->over);
    if (std::string note = reflection_note(node, graph); !note.empty()) notes.push_back(std::move(note));
    if (node.retry && node.retry->max > 1) notes.push_back(fmt::format("up to {} tries", node.retry->max));
    return notes;
}

/// Where an edge leads, and what it says there: its keys, its condition, that it is for failures.
void add_edges(Drawing& drawing, const model::EdgeDef& edge, const Places& places)
{
    const auto from = places.find(edge.from);
    if (from == places.end()) return;
    const std::string when = (edge.on == model::EdgeOn::error ? "on error" : "") +
                             std::string(edge.on == model::EdgeOn::error && edge.condition ? ", " : "") +
                             (edge.condition ? "if " + *edge.condition : "");
    if (const auto* text = edge.to.if_string()) {
        const auto to = places.find(std::string_view(*text));
        if (to != places.end()) drawing.edges.push_back({from->second, to->second, when});
        return;
    }
    const auto* mapping = edge.to.if_object();
    if (!mapping) return;
    std::vector<std::pair<std::size_t, std::string>> keys;  // by target, in the order in which they are named
    std::map<std::size_t, std::size_t> at;
    for (const auto& member : *mapping) {
        const auto* text = member.value().if_string();
        const auto to = text ? places.find(std::string_view(*text)) : places.end();
        if (to == places.end()) continue;
        const std::string key = member.key() == "*" ? "else" : std::string(member.key());
        const auto [place, is_new] = at.try_emplace(to->second, keys.size());
        if (is_new) keys.emplace_back(to->second, key);
        else keys[place->second].second += ", " + key;
    }
    for (auto& [to, key] : keys)
        drawing.edges.push_back({from->second, to, edge.on == model::EdgeOn::error ? "on error, " + key : key});
}

/// Between those of a pattern and who leads them.
void add_edges(Drawing& drawing, const model::CollaborationPattern& pattern, const Places& places)
{
    const auto leader = places.find(pattern.coordination_agent.value_or(""));
    if (leader == places.end()) return;
    for (const std::string& agent : pattern.agents) {
        const auto place = places.find(agent);
        if (place == places.end() || place == leader) continue;
        DrawnEdge edge{leader->second, place->second};
        switch (pattern.type) {
        case model::PatternType::parallel: std::swap(edge.from, edge.to); break;  // it merges
        case model::PatternType::hierarchical: edge.label = "delegates"; break;
        case model::PatternType::consensus: edge.label = "proposes"; break;
        }
        const auto is_same = [&](const DrawnEdge& one) { return one.from == edge.from && one.to == edge.to; };
        if (std::ranges::none_of(drawing.edges, is_same)) drawing.edges.push_back(std::move(edge));
    }
}

}  // namespace

std::optional<InnerWorkflow> inner_workflow(const NodeDef& node)
{
    if (node.type == NodeType::workflow && node.workflow)
        return InnerWorkflow{*node.workflow, !node.retry && !node.timeout};
    if (node.loop && node.loop->workflow) return InnerWorkflow{*node.loop->workflow};
    if (node.map && node.map->workflow) return InnerWorkflow{*node.map->workflow};
    return std::nullopt;
}

Drawing drawing_of(const model::Graph& graph)
{
    Drawing drawing{.kind = "workflow", .name = graph.name};
    Places places;
    std::vector<bool> is_reached(graph.nodes.size());
    for (const auto& [name, node] : graph.nodes) {
        places.emplace(name, drawing.nodes.size());
        drawing.nodes.push_back({.name = name,
                                 .type = std::string(model::wire_name(node.type)),
                                 .about = about_node(node),
                                 .notes = notes_of(name, node, graph)});
        if (node.loop && node.loop->max > 0) drawing.nodes.back().most = node.loop->max;
    }
    for (const model::EdgeDef& edge : graph.edges) add_edges(drawing, edge, places);
    for (const DrawnEdge& edge : drawing.edges) is_reached[edge.to] = true;
    // that it begins there is seen where nothing else leads nowhere from
    const bool obvious = std::ranges::count(is_reached, false) == 1;
    const auto entry = places.find(graph.entry);
    if (!obvious && entry != places.end()) {
        auto& notes = drawing.nodes[entry->second].notes;
        notes.insert(notes.begin(), "begins here");
    }
    return drawing;
}

Drawing drawing_of(const model::Team& team)
{
    Drawing drawing{.kind = "team", .name = team.name};
    Places places;
    for (const model::Agent& agent : team.agents) {
        places.emplace(agent.name, drawing.nodes.size());
        drawing.nodes.push_back({.name = agent.name, .type = "agent", .about = agent.role});
    }
    for (const model::HandoffRule& rule : team.handoff_rules) {
        const auto from = places.find(rule.from_agent), to = places.find(rule.to_agent);
        if (from == places.end() || to == places.end()) continue;
        std::string label = rule.condition ? "if " + *rule.condition : "";
        if (rule.handoff_type != model::HandoffType::sequential)
            label += (label.empty() ? "" : ", ") + std::string(model::wire_name(rule.handoff_type));
        drawing.edges.push_back({from->second, to->second, std::move(label)});
    }
    if (team.execution_config.pattern == model::kPlanning)
        for (std::size_t i = 1; i < team.agents.size(); ++i) drawing.edges.push_back({0, i, "plans"});
    for (const model::CollaborationPattern& pattern : team.collaboration_patterns) {
        add_edges(drawing, pattern, places);
        DrawnGroup group{.name = pattern.name, .about = std::string(model::wire_name(pattern.type))};
        if (pattern.coordination_agent) group.about += ", led by " + *pattern.coordination_agent;
        for (const std::string& agent : pattern.agents)
            if (const auto place = places.find(agent); place != places.end()) group.nodes.push_back(place->second);
        drawing.groups.push_back(std::move(group));
    }
    return drawing;
}

void set_states(Drawing& drawing, std::vector<engine::NodeState> states)
{
    for (std::size_t i = 0; i < drawing.nodes.size() && i < states.size(); ++i)
        drawing.nodes[i].state = std::move(states[i]);
}

std::string counts_of(const DrawnNode& node)
{
    if (!node.state) return "";
    std::vector<std::string> counts;
    if (node.state->attempts > 1) counts.push_back(fmt::format("try {}", node.state->attempts));
    if (node.state->turns > 0)
        counts.push_back(node.most ? fmt::format("turn {} of {}", node.state->turns, *node.most)
                                   : fmt::format("turn {}", node.state->turns));
    if (node.state->branches > 0)
        counts.push_back(plural(node.state->branches, "item") +
                         (node.state->at_work > 0 ? fmt::format(", {} at work", node.state->at_work) : ""));
    return fmt::format("{}", fmt::join(counts, ", "));
}

std::string summary_of(const Drawing& drawing)
{
    const std::string nodes = plural(drawing.nodes.size(), drawing.kind == "team" ? "agent" : "node");
    std::map<engine::NodeStatus, std::size_t> counts;
    for (const DrawnNode& node : drawing.nodes)
        if (node.state) ++counts[node.state->status];
    std::vector<std::string> words;
    using enum engine::NodeStatus;
    for (const auto status : {done, running, waiting, failed, cancelled, skipped, pending})
        if (counts[status] > 0) words.push_back(fmt::format("{} {}", counts[status], engine::name_of(status)));
    return words.empty() ? nodes : fmt::format("{}: {}", nodes, fmt::join(words, ", "));
}

}  // namespace cadre::cli
