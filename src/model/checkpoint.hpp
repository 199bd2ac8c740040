// Checkpoint: the state of a task at one moment, saved where it may stop.
#pragma once

#include "model/state.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace cadre::model {

struct Checkpoint {
    std::string id{};
    std::string task{};
    int seq = 0;
    State state{};
    std::string position{};
    bool awaiting_human = false;
    Time created_at{};
    std::optional<Time> resumed_at{};

    bool operator==(const Checkpoint&) const = default;
};
const Entity& describe(const Checkpoint*);

enum class CheckpointState : std::uint8_t { created, awaiting_human, resumed };
std::span<const EnumName> names_of(const CheckpointState*);
CheckpointState state_of(const Checkpoint& checkpoint);

/// Moves the checkpoint on. Throws Error(conflict) for a move that its machine does not have: a second answer is one.
void await_human(Checkpoint& checkpoint);
void resume(Checkpoint& checkpoint, Time now);

/// Throws Error(conflict) unless `next` is of the same task and its number is higher.
void check_follows(const Checkpoint& last, const Checkpoint& next);

}  // namespace cadre::model
