// Walk: one way through a workflow: which nodes run, with whom, and what each of them sees. All of it follows from what the nodes
// came to, never from when.
#pragma once

#include "engine/flow.hpp"
#include "engine/strand.hpp"
#include "model/graph_state.hpp"
#include "model/node_result.hpp"
#include "patterns/graph/board.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::patterns {

using Results = std::vector<engine::Settled<model::NodeResult>>;

/// Where a workflow stands: in a task, or in a node of another workflow.
struct Setting {
    const Workflows* workflows = nullptr;
    std::string task{};           // what it is to do
    std::string last{};           // what was said last before it
    boost::json::object names{};  // beyond those that all have: `item`, `loop`
    model::State state{};         // that it begins with
    int depth = 0;                // of workflows in each other
};

/// Something that a node hears, and from which one. What was said stands in the results of the walk.
struct Heard {
    std::string_view node{};
    const model::Said* said = nullptr;
};

class Walk final : public engine::Flow {
public:
    /// All of them outlive it. `results` are where the run of the flow puts them.
    Walk(const Board& board, const Setting& setting, const Results& results);

    const Board& board() const { return board_; }
    const Setting& setting() const { return setting_; }

    // ---- the flow ----

    std::size_t size() const override { return board_.size(); }
    const std::string& name(std::size_t part) const override { return board_.node(part).name; }
    std::span<const std::size_t> inputs(std::size_t part) const override { return board_.order().inputs[part]; }
    bool by_time(std::size_t part) const override { return board_.node(part).enough > 0; }
    engine::Entry enter(std::size_t part, std::span<const engine::Fate> fates) const override;
    bool tolerates(std::size_t part) const override { return board_.node(part).is_covered; }

    // ---- what a node that goes with `counted` sees ----

    std::shared_ptr<const model::State> state_at(std::size_t node, std::span<const std::size_t> counted) const;
    std::vector<Heard> heard_at(std::span<const std::size_t> counted) const;
    /// What failed before it, by name.
    boost::json::object errors_at(std::size_t node, std::span<const std::size_t> counted) const;

    /// Of all that was executed: what those say behind which nothing comes.
    std::string reply() const;
    /// One update that does what all that was executed did, for a workflow around this one that declares these fields.
    boost::json::object update_for(const model::Dict<model::StateField>& declared) const;

private:
    enum class Token : std::uint8_t { open, live, dead, failed };

    Token token(std::size_t from, std::size_t to, std::span<const engine::Fate> fates) const;
    void expect_possible(const BoardNode& node, std::size_t part, std::span<const engine::Fate> fates) const;
    void add_failures(boost::json::object& errors, std::size_t node) const;
    const model::Executed& executed(std::size_t node) const;
    std::vector<std::size_t> before(std::span<const std::size_t> counted) const;
    const std::shared_ptr<const model::State>& state_after(std::size_t node) const;
    std::string text_of(std::size_t node) const;
    std::vector<std::size_t> ends() const;

    const Board& board_;
    const Setting& setting_;
    const Results& results_;
    std::shared_ptr<const model::State> initial_;
    // found out once
    mutable std::vector<bool> is_broken_;  // skipped because something before it failed
    mutable std::vector<bool> is_known_;   // of `executed_`
    mutable std::vector<model::Executed> executed_;
    mutable std::vector<std::shared_ptr<const model::State>> after_;
};

/// What was said last that was not a person's.
std::string last_of(std::span<const Heard> heard, const std::string& otherwise);

}  // namespace cadre::patterns
