#include "model/checkpoint.hpp"

#include "base/error.hpp"
#include "model/describe.hpp"
#include "model/machine.hpp"

#include <fmt/format.h>

namespace cadre::model {

namespace {

void check_checkpoint_times(const Checkpoint& checkpoint, const Path& path, Problems& problems)
{
    if (checkpoint.resumed_at && *checkpoint.resumed_at < checkpoint.created_at)
        problems.add(Path(path, "resumed_at"), "must not be before created_at");
}

}  // namespace

const Entity& describe(const Checkpoint*)
{
    static const Entity entity{
        .name = "checkpoint",
        .doc = "The state of a task at one moment, saved where it may stop.",
        .fields =
            {
                field("id", &Checkpoint::id, "Its id.", {.required = true, .format = Format::uuid}),
                field("task", &Checkpoint::task, "Id of the task.", {.required = true, .min_length = 1}),
                field("seq", &Checkpoint::seq, "0, 1, 2, … in its task.", {.required = true, .min = 0}),
                field("state", &Checkpoint::state, "The whole state.", {.required = true}),
                field("position", &Checkpoint::position, "Node that is next.", {.required = true}),
                field("awaiting_human", &Checkpoint::awaiting_human, "Whether a person must act before it continues."),
                field("created_at", &Checkpoint::created_at, "When it was saved.", {.fill = Fill::now}),
                field("resumed_at", &Checkpoint::resumed_at, "When the person had acted."),
            },
        .home = {Home::Kind::inside, "shown to others as [framework_checkpoint](framework_checkpoint.md)"},
        .demands = {{.when = {is("awaiting_human", {"false"})},
                     .then = !given("resumed_at"),
                     .says = "is only for a checkpoint that waited for a person"}},
        .checks = {check<Checkpoint>({"created_at", "resumed_at"}, "`resumed_at` is not before `created_at`.",
                                     check_checkpoint_times)},
        .example =
            R"({"id":"9b2d4f6a-8c1e-4a3b-b5d7-0f9e8d7c6b5a","task":"3f2b8c1e-9d4a-4e6b-8f7a-1c2d3e4f5a6b","seq":2,
            "state":{"messages":[],"next_action":null,"current_agent":"writer","routing_key":null,"metadata":{}},
            "position":"review","awaiting_human":true,"created_at":"2026-01-12T09:00:05Z","resumed_at":null})",
    };
    return entity;
}

std::span<const EnumName> names_of(const CheckpointState*)
{
    static constexpr EnumName names[] = {
        {int(CheckpointState::created), "created"},
        {int(CheckpointState::awaiting_human), "awaiting_human"},
        {int(CheckpointState::resumed), "resumed"},
    };
    return names;
}

CheckpointState state_of(const Checkpoint& checkpoint)
{
    if (checkpoint.resumed_at) return CheckpointState::resumed;
    return checkpoint.awaiting_human ? CheckpointState::awaiting_human : CheckpointState::created;
}

void await_human(Checkpoint& checkpoint)
{
    checkpoint_machine().next(state_of(checkpoint), CheckpointState::awaiting_human);
    checkpoint.awaiting_human = true;
}

void resume(Checkpoint& checkpoint, Time now)
{
    checkpoint_machine().next(state_of(checkpoint), CheckpointState::resumed);
    checkpoint.resumed_at = now;
}

void check_follows(const Checkpoint& last, const Checkpoint& next)
{
    if (next.task != last.task)
        throw Error(Code::conflict, fmt::format("checkpoint {} is of another task than {}", next.id, last.id));
    if (next.seq <= last.seq)
        throw Error(Code::conflict,
                    fmt::format("checkpoint {} cannot follow checkpoint {} of task {}", next.seq, last.seq, last.task));
}

}  // namespace cadre::model
