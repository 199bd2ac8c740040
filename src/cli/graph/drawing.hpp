// What is drawn of a workflow or a team, whoever draws it: nodes, ways between them, groups, and how far each is. All texts are as
// their authors wrote them; whoever shows them makes them safe.
#pragma once

#include "engine/node_progress.hpp"
#include "model/graph.hpp"
#include "model/team.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::cli {

struct DrawnNode {
    std::string name{};
    std::string type{};                // `agent`, `tool`, …
    std::string about{};               // `agent writer`
    std::vector<std::string> notes{};  // `a person is asked before`
    std::optional<int> most{};         // turns of a loop
    std::optional<engine::NodeState> state{};
};

struct DrawnEdge {
    std::size_t from = 0, to = 0;
    std::string label{};
};

struct DrawnGroup {
    std::string name{};
    std::string about{};  // `consensus`
    std::vector<std::size_t> nodes{};
};

struct Drawing {
    std::string kind{};  // `workflow`, `team`
    std::string name{};
    std::vector<DrawnNode> nodes{};
    std::vector<DrawnEdge> edges{};
    std::vector<DrawnGroup> groups{};
};

/// A drawing, and the workflows that its nodes run.
struct Drawings {
    Drawing main{};
    std::vector<Drawing> nested{};
};

/// The workflow that a node runs, and whether it runs it once.
struct InnerWorkflow {
    std::string name{};
    bool once = false;
};
std::optional<InnerWorkflow> inner_workflow(const model::NodeDef& node);

Drawing drawing_of(const model::Graph& graph);
/// Handoff rules are its edges, collaboration patterns its groups.
Drawing drawing_of(const model::Team& team);

/// `states`: in the order of the nodes.
void set_states(Drawing& drawing, std::vector<engine::NodeState> states);

/// `3 of 5 turns`, `8 branches, 2 at work`, `2nd attempt`: what is counted in a node; empty: nothing.
std::string counts_of(const DrawnNode& node);
/// `4 nodes: 1 done, 1 running, 2 pending`
std::string summary_of(const Drawing& drawing);

}  // namespace cadre::cli
