// The drawing of a task, as far as its journal says.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "cli/graph/drawing.hpp"
#include "engine/node_progress.hpp"
#include "engine/queries.hpp"
#include "model/graph.hpp"
#include "model/team.hpp"

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cadre::cli {

/// A task of a workflow or a team, as its journal says that it is. Lives on one loop; the queries outlive it.
class DrawnTask {
public:
    /// Throws Error(not_found), and Error(invalid) for a task of a single agent.
    static Async<std::unique_ptr<DrawnTask>> open(engine::Queries& queries, engine::Principal by, std::string prefix);

    /// Takes in what has been written since the last time; false: nothing.
    Async<bool> read_on();
    /// The task has ended, and its last record was read.
    bool ended() const { return ended_; }
    const engine::TaskState& task() const { return team_ ? team_->task : states_.front().task(); }
    Drawings drawings() const;

private:
    DrawnTask(storage::Store& store, const Id& task, model::WorkflowSetup setup);
    DrawnTask(storage::Store& store, const Id& task, model::Team team);

    void add(const model::Graph& graph, const std::string& scope, int depth);

    /// Of a task that runs no workflow.
    struct TeamAtWork {
        model::Team team{};
        engine::TaskState task{};
        std::vector<storage::Record> records{};
    };

    storage::Store& store_;
    Id task_;
    std::optional<TeamAtWork> team_;
    model::WorkflowSetup setup_;
    std::list<engine::NodeProgress> states_;   // of the workflow, and of those that nodes of it run once
    std::vector<const model::Graph*> graphs_;  // of these
    std::vector<const model::Graph*> others_;  // run several times: which of them is not said
    std::uint32_t next_ = 1;
    bool ended_ = false;
};

}  // namespace cadre::cli
