// Chronicle: what a journal says happened, as documents tell it: steps, checkpoints, figures. A pure fold over the records of
// one task; it can go on where it stopped.
#pragma once

#include "engine/plan_view.hpp"
#include "engine/projections/node_states.hpp"
#include "engine/task_state.hpp"
#include "model/checkpoint.hpp"
#include "model/event.hpp"
#include "model/plan.hpp"
#include "model/step.hpp"
#include "model/views/agentx_workspace.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

struct AnnounceOutcome;
struct CheckOutcome;
struct DelegateOutcome;
struct OutcomeBody;
struct ThinkOutcome;
struct UseIntent;
struct UseOutcome;

/// A public event with its number.
struct ToldEvent {
    std::uint32_t number = 0;
    model::Event event{};
};

class Chronicle {
public:
    /// The next record. Throws Error(unavailable) when its body cannot be read.
    void apply(const storage::Record& record);

    std::uint32_t seq() const { return state_.end.seq; }
    const TaskState& state() const { return state_; }
    /// One step per turn of an agent, a tool or a person, in the order of the journal.
    const std::vector<model::Step>& history() const { return history_; }
    /// One for every place where the task stopped, or asked a person, and for the end of every node of a workflow: with the state that
    /// those behind it see.
    const std::vector<model::Checkpoint>& checkpoints() const { return checkpoints_; }
    /// Where each of them stands. A checkpoint does not list what was said before it: the history has that.
    struct Place {
        std::size_t steps = 0;  // of the history
        std::string path{};     // of the effect that it stopped at
        /// Where they become too much, the checkpoint before it, whose file and those that it names have what was said up to it; this
        /// one's has what was said since.
        std::optional<std::size_t> base{};
    };
    const std::vector<Place>& places() const { return places_; }
    /// The numbers of the records that made them.
    const std::vector<std::uint32_t>& checkpoint_records() const { return checkpoint_records_; }
    /// Every task that it has delegated.
    const std::vector<Id>& children() const { return children_; }
    /// What it means to do; where it was not planned first: the parts of it that have begun.
    const model::Plan& plan() const { return plan_view_.plan() ? *plan_view_.plan() : plan_; }
    const model::agentx::PerformanceFile& performance() const { return performance_; }
    /// What guardrails have found.
    const std::vector<model::GuardrailViolationEvent>& violations() const { return violations_; }
    /// Whether it was ever told where to stop.
    bool had_breakpoints() const { return had_breakpoints_; }
    const std::string& current_agent() const { return current_agent_; }

    /// What the last apply() has brought.
    struct News {
        std::size_t first_step = 0;              // in history(), from here on
        std::vector<std::size_t> checkpoints{};  // in checkpoints(), made or changed
        std::vector<ToldEvent> events{};
    };
    const News& news() const { return news_; }

    /// The first step of the history of whose calls one has no result yet; the number of steps when there is none.
    std::size_t first_open_step() const { return open_steps_.empty() ? history_.size() : open_steps_.begin()->first; }
    Time last_step_at() const { return last_step_at_; }

private:
    struct Take;
    struct TakeIntent;
    struct TakeOutcome;

    void take_answer(const storage::Record& record, const model::HumanAnswer& answer);
    void checked(const storage::Record& record, const CheckOutcome& check);
    /// To the last step: what was found before it in that scope, and in itself.
    void add_waiting_checks(const std::string& scope, std::vector<model::GuardrailCheck> own);
    void thought(const storage::Record& record, const ThinkOutcome& think, const OutcomeBody& outcome);
    void calls(const storage::Record& record, const UseIntent& use);
    void used(const storage::Record& record, const UseOutcome& use, const OutcomeBody& outcome);
    void announced(const storage::Record& record, const AnnounceOutcome& announced);
    void end_call(const storage::Record& record, std::string agent, model::ToolResult result);
    void delegated(const storage::Record& record, const DelegateOutcome& delegate, const OutcomeBody& outcome);
    model::Step& add_step(const storage::Record& record, std::string agent, model::Role role);
    void say(const storage::Record& record, std::string agent, model::Role role, model::Level level, std::string text);
    void add_checkpoint(const storage::Record& record, bool awaits_human);
    void add_checkpoint(const storage::Record& record, std::string position, const model::State& state);
    void asked(const storage::Record& record, const model::HumanRequest& request);
    void node_ended(const storage::Record& record);
    /// Whether its nodes are those of a workflow.
    bool is_workflow() const { return state_.spec.pattern.starts_with("graph@"); }
    void begin_item(std::string_view path);
    void end_items(model::PlanItemStatus how);
    model::PlanItem* find_item(std::string_view id);
    void close_call(const std::string& id);
    void resume_checkpoint(std::string_view path, Time at);

    /// A model's turn whose calls are under way.
    struct Turn {
        std::string step{};
        std::string agent{};
    };
    const Turn* turn_of(std::string_view path) const;
    std::string asking_call(const Turn& turn, std::string_view path, const boost::json::object& question) const;

    TaskState state_;
    std::vector<model::Step> history_;
    std::vector<model::Checkpoint> checkpoints_;
    std::vector<Place> places_;
    std::vector<std::uint32_t> checkpoint_records_;
    model::Plan plan_;                                       // of what was not planned first
    PlanView plan_view_;                                     // of what was
    std::map<std::string, std::size_t, std::less<>> items_;  // of the plan, by id
    std::vector<Id> children_;
    std::map<std::string, std::string, std::less<>> child_agents_;  // by the path of the delegation
    std::map<std::string, Turn, std::less<>> turns_;                // by scope: its last
    std::map<std::size_t, std::size_t> open_steps_;                 // calls without a result, by step
    std::map<std::string, std::size_t, std::less<>> open_calls_;    // their steps, by id
    std::map<std::string, std::string, std::less<>> errands_;       // calls that the next task there ends, by scope
    Time last_step_at_{};
    model::agentx::PerformanceFile performance_;
    std::vector<model::GuardrailViolationEvent> violations_;
    std::map<std::string, std::vector<model::GuardrailCheck>> checks_;  // waiting for the next step of their scope
    std::map<std::string, std::vector<std::string>, std::less<>>
        remembered_;  // items that a turn was told, by its path
    std::string current_agent_;
    NodeStates node_states_;
    std::size_t said_bytes_ = 0;        // of all records: no less than what was said
    std::size_t checkpoint_bytes_ = 0;  // the same of all checkpoints that hold all
    std::uint32_t events_ = 0;
    bool had_breakpoints_ = false;
    News news_;
};

}  // namespace cadre::engine
