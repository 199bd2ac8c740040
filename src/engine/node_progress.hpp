// How far the nodes of a workflow are, as its journal says. No clock, no store: records and the workflow go in, states come out.
#pragma once

#include "base/time.hpp"
#include "engine/task_state.hpp"
#include "model/graph.hpp"
#include "storage/record.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

enum class NodeStatus : std::uint8_t {
    pending,
    running,
    waiting,  // for a person
    done,
    failed,
    skipped,  // no way led to it, or the task ended before
    cancelled,
};
std::string_view name_of(NodeStatus status);

struct NodeState {
    NodeStatus status = NodeStatus::pending;
    std::optional<Time> started{};
    std::optional<Time> ended{};
    int turns = 0;     // of a loop, that have begun
    int attempts = 0;  // of a node that is tried again, that have begun
    int branches = 0;  // of a map, that have begun
    int at_work = 0;   // of these
    std::string error{};

    bool operator==(const NodeState&) const = default;
};

/// The nodes of one workflow, of one run of it. Takes a journal record by record, so that who follows a task reads each only once.
class NodeProgress {
public:
    /// `scope`: where in the journal the workflow ran, `review/` for one that the node `review` runs. The graph outlives it.
    explicit NodeProgress(const model::Graph& graph, std::string scope = "");

    /// Throws Error(unavailable) when its body cannot be read.
    void take(const storage::Record& record);
    /// In the order of the graph's nodes.
    std::vector<NodeState> states() const;
    const TaskState& task() const { return task_; }

private:
    struct Seen {
        NodeState state{};
        bool done = false;
        bool last_cancelled = false;                  // how its last effect ended
        std::optional<std::set<std::string>> next{};  // where it led, where its result says so
        std::set<std::string> open{};                 // paths of effects that are under way
        std::set<std::string> branches{};
    };
    struct Way {
        std::size_t from = 0, to = 0;
        model::EdgeOn on = model::EdgeOn::ok;
    };

    void take_result(std::string_view result, Seen& seen) const;
    void take_effect(const storage::Record& record, Seen& seen) const;
    void note_structure(std::string_view inside, const model::NodeDef& node, Seen& seen) const;
    std::vector<bool> passed() const;
    NodeStatus status_of(std::size_t node, bool passed) const;
    bool is_dead(const Way& way, const std::vector<NodeState>& states) const;
    void skip_unreached(std::vector<NodeState>& states) const;

    const model::Graph& graph_;
    std::string scope_;
    TaskState task_;
    std::map<std::string_view, std::size_t> places_;
    std::vector<Way> ways_;
    std::vector<std::vector<std::size_t>> in_, out_;  // of ways_, by node
    std::vector<std::size_t> order_;                  // nodes, each behind those that lead to it
    std::vector<Seen> seen_;
};

/// Of a whole journal.
std::vector<NodeState> node_states(std::span<const storage::Record> records, const model::Graph& graph,
                                   std::string scope = "");

}  // namespace cadre::engine
