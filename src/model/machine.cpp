#include "model/machine.hpp"

#include "base/error.hpp"
#include "model/call.hpp"
#include "model/checkpoint.hpp"
#include "model/session.hpp"
#include "model/status.hpp"
#include "model/task.hpp"
#include "model/wire_name.hpp"

#include <fmt/format.h>

#include <string>

namespace cadre::model {

void refuse_move(std::string_view thing, std::span<const EnumName> names, int from, int to,
                 std::span<const int> allowed)
{
    std::string hint;
    for (int state : allowed) hint += (hint.empty() ? "only to " : " or ") + std::string(find_name(names, state));
    if (hint.empty()) hint = std::string(find_name(names, from)) + " is final";
    throw Error(Code::conflict, fmt::format("{} cannot go from {} to {}; {}", thing, find_name(names, from),
                                            find_name(names, to), hint));
}

const Machine<TaskStatus>& task_machine()
{
    using enum TaskStatus;
    // A paused or waiting task that is to fail runs again first: what ends a run is the run.
    static const Machine<TaskStatus> machine("a task", names_of(static_cast<const TaskStatus*>(nullptr)),
                                             {
                                                 {pending, running},
                                                 {pending, cancelled},
                                                 {running, paused},
                                                 {running, waiting},
                                                 {running, completed},
                                                 {running, failed},
                                                 {running, cancelled},
                                                 {paused, running},
                                                 {paused, cancelled},
                                                 {waiting, running},
                                                 {waiting, cancelled},
                                             });
    return machine;
}

const Machine<SubAgentStatus>& sub_agent_machine()
{
    using enum SubAgentStatus;
    static const Machine<SubAgentStatus> machine("a sub-agent session",
                                                 names_of(static_cast<const SubAgentStatus*>(nullptr)),
                                                 {{running, completed}, {running, failed}});
    return machine;
}

const Machine<CallStatus>& call_machine()
{
    using enum CallStatus;
    static const Machine<CallStatus> machine(
        "a tool call", names_of(static_cast<const CallStatus*>(nullptr)),
        {{pending, in_progress}, {in_progress, completed}, {in_progress, failed}, {in_progress, timeout}});
    return machine;
}

const Machine<Phase>& phase_machine()
{
    using enum Phase;
    static const Machine<Phase> machine("a message workflow", names_of(static_cast<const Phase*>(nullptr)),
                                        {
                                            {created, planning},
                                            {planning, extracting},
                                            {planning, composing},  // nothing to extract
                                            {extracting, composing},
                                            {composing, formatting},
                                            {formatting, validating},
                                            {validating, refining},
                                            {validating, sending},
                                            {refining, formatting},  // and judged again
                                            {refining, sending},
                                            {sending, completed},
                                            // the pipeline itself may fail anywhere
                                            {created, failed},
                                            {planning, failed},
                                            {extracting, failed},
                                            {composing, failed},
                                            {formatting, failed},
                                            {validating, failed},
                                            {refining, failed},
                                            {sending, failed},
                                            {failed, completed},  // the person got a graceful reply (C-03)
                                        });
    return machine;
}

const Machine<CheckpointState>& checkpoint_machine()
{
    using enum CheckpointState;
    static const Machine<CheckpointState> machine("a checkpoint",
                                                  names_of(static_cast<const CheckpointState*>(nullptr)),
                                                  {{created, awaiting_human}, {awaiting_human, resumed}});
    return machine;
}

const Machine<ConversationState>& conversation_machine()
{
    using enum ConversationState;
    static const Machine<ConversationState> machine(
        "a conversation", names_of(static_cast<const ConversationState*>(nullptr)),
        {{created, active}, {created, idle}, {active, idle}, {idle, active}});
    return machine;
}

}  // namespace cadre::model
