// The checkpoints of a task, as its journal tells them.
#include "engine/effect_path.hpp"
#include "engine/projections/chronicle.hpp"
#include "engine/step_id.hpp"
#include "model/read.hpp"

#include <boost/json.hpp>

namespace cadre::engine {

using storage::Record;

namespace {

/// Of one task, in bytes: a checkpoint for every node, each with all that was said, would otherwise grow with the square of it.
constexpr std::size_t kWholeCheckpoints = 4 << 20;

/// The node that a path stands in, `review` of `review/ask:1`; where there is none, the agent whose turn it is.
std::string position_of(std::string_view path, const std::string& agent)
{
    const std::string_view scope = turn_scope(path);
    return scope.empty() ? agent : std::string(scope.substr(0, scope.size() - 1));
}

}  // namespace

void Chronicle::add_checkpoint(const Record& record, bool awaits_human)
{
    const SharedState state = node_states_.last_in(record.path);
    add_checkpoint(record, position_of(record.path, current_agent_), *state);
    if (awaits_human) model::await_human(checkpoints_.back());
}

void Chronicle::add_checkpoint(const Record& record, std::string position, const model::State& state)
{
    model::Checkpoint checkpoint{.id = to_string(derived_id(to_string(state_.id) + '@' + std::to_string(record.seq))),
                                 .task = to_string(state_.id),
                                 .seq = static_cast<int>(checkpoints_.size()),
                                 .state = state,
                                 .position = std::move(position),
                                 .created_at = record.at};
    if (checkpoint.state.current_agent.empty()) checkpoint.state.current_agent = current_agent_;
    news_.checkpoints.push_back(checkpoints_.size());
    checkpoints_.push_back(std::move(checkpoint));
    places_.push_back({history_.size(), record.path});
    checkpoint_records_.push_back(record.seq);
    // each names the one before it, so that all of them together grow with what was said, and not with its square
    if (checkpoint_bytes_ + said_bytes_ > kWholeCheckpoints && places_.size() > 1)
        places_.back().base = places_.size() - 2;
    else checkpoint_bytes_ += said_bytes_;
}

/// A node of a workflow that asks a person shows the state that it sees.
void Chronicle::asked(const Record& record, const model::HumanRequest& request)
{
    const auto* shown = is_workflow() ? request.context.if_contains("state") : nullptr;
    if (!shown || !shown->is_object() || !request.context.contains("node")) return add_checkpoint(record, true);
    boost::json::object whole = shown->get_object();
    whole["messages"] = boost::json::array();
    add_checkpoint(record, position_of(record.path, current_agent_), model::from_json<model::State>(whole));
    model::await_human(checkpoints_.back());
}

void Chronicle::node_ended(const Record& record)
{
    if (const SharedState state = node_states_.take(record)) add_checkpoint(record, record.path, *state);
}

/// Only a checkpoint that waits for a person knows when it was resumed.
void Chronicle::resume_checkpoint(std::string_view path, Time at)
{
    for (std::size_t i = checkpoints_.size(); i-- > 0;) {
        model::Checkpoint& checkpoint = checkpoints_[i];
        if (!checkpoint.awaiting_human || checkpoint.resumed_at) continue;
        if (places_[i].path != path) continue;
        model::resume(checkpoint, at);
        news_.checkpoints.push_back(i);
        return;
    }
}

}  // namespace cadre::engine
