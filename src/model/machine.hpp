// State machines as tables: which state may follow which. What a table does not say is refused.
#pragma once

#include "model/type.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace cadre::model {

template <class State>
struct Move {
    State from;
    State to;
};

/// Throws Error(conflict): "a task cannot go from completed to running; completed is final".
[[noreturn]] void refuse_move(std::string_view thing, std::span<const EnumName> names, int from, int to,
                              std::span<const int> allowed);

template <class State>
class Machine {
public:
    /// `thing` is for people: "a task".
    Machine(std::string_view thing, std::span<const EnumName> names, std::vector<Move<State>> moves)
        : thing_(thing), names_(names), moves_(std::move(moves))
    {}

    bool allows(State from, State to) const
    {
        for (const auto& move : moves_)
            if (move.from == from && move.to == to) return true;
        return false;
    }

    /// `to`, if it may follow; otherwise throws Error(conflict) naming both states.
    State next(State from, State to) const
    {
        if (allows(from, to)) return to;
        std::vector<int> allowed;
        for (const auto& move : moves_)
            if (move.from == from) allowed.push_back(static_cast<int>(move.to));
        refuse_move(thing_, names_, static_cast<int>(from), static_cast<int>(to), allowed);
    }

    /// Whether nothing follows it.
    bool is_final(State state) const
    {
        for (const auto& move : moves_)
            if (move.from == state) return false;
        return true;
    }

    std::span<const EnumName> names() const { return names_; }

private:
    std::string_view thing_;
    std::span<const EnumName> names_;
    std::vector<Move<State>> moves_;
};

enum class TaskStatus : std::uint8_t;
enum class SubAgentStatus : std::uint8_t;
enum class CallStatus : std::uint8_t;
enum class Phase : std::uint8_t;
enum class CheckpointState : std::uint8_t;
enum class ConversationState : std::uint8_t;

const Machine<TaskStatus>& task_machine();
const Machine<SubAgentStatus>& sub_agent_machine();
const Machine<CallStatus>& call_machine();
const Machine<Phase>& phase_machine();
const Machine<CheckpointState>& checkpoint_machine();
const Machine<ConversationState>& conversation_machine();

}  // namespace cadre::model
