#include "model/status.hpp"

#include "model/task.hpp"
#include "model/wire_name.hpp"

#include <array>

namespace cadre::model {

namespace {

struct Row {
    TaskStatus status;
    std::array<std::string_view, 7> words;  // in the order of Boundary
};

constexpr Row kTable[] = {
    // clang-format off
    //                        000          sub-agent    001          002               003        004          its end
    {TaskStatus::pending,   {"pending",   "running",   "created",   "submitted",      "Created", "pending",   ""}},
    {TaskStatus::running,   {"running",   "running",   "planning",  "working",        "Active",  "running",   ""}},
    {TaskStatus::paused,    {"running",   "running",   "planning",  "working",        "Active",  "paused",    ""}},
    {TaskStatus::waiting,   {"running",   "running",   "planning",  "input-required", "Active",  "paused",    ""}},
    {TaskStatus::completed, {"completed", "completed", "completed", "completed",      "Active",  "completed", "success"}},
    {TaskStatus::failed,    {"failed",    "failed",    "failed",    "failed",         "Active",  "failed",    "error"}},
    {TaskStatus::cancelled, {"failed",    "failed",    "failed",    "canceled",       "Active",  "cancelled", "cancelled"}},
    // clang-format on
};

}  // namespace

std::string_view status_word(TaskStatus status, Boundary boundary)
{
    for (const Row& row : kTable)
        if (row.status == status) return row.words[static_cast<std::size_t>(boundary)];
    return {};
}

std::optional<TaskStatus> find_status(std::string_view word, Boundary boundary)
{
    if (word.empty()) return std::nullopt;
    const auto own = find_named<TaskStatus>(word);
    std::optional<TaskStatus> first;
    for (const Row& row : kTable) {
        const std::string_view here = row.words[static_cast<std::size_t>(boundary)];
        if (own == row.status && find_named<TaskStatus>(here) == own) return own;
        if (here == word && !first) first = row.status;
    }
    return first;
}

std::optional<std::string_view> agentx_pause_reason(TaskStatus status, std::optional<PauseReason> reason)
{
    if (status == TaskStatus::waiting) return "hitl_intervention";
    if (status != TaskStatus::paused || !reason) return std::nullopt;
    switch (*reason) {
    case PauseReason::step_mode:
    case PauseReason::breakpoint:
    case PauseReason::user_request: return wire_name(*reason);
    case PauseReason::diverged:
    case PauseReason::budget:
    case PauseReason::interrupted: break;
    }
    return "hitl_intervention";
}

Phase phase_of(TaskStatus status, std::optional<Phase> phase)
{
    switch (status) {
    case TaskStatus::pending: return Phase::created;
    case TaskStatus::running:
    case TaskStatus::paused:
    case TaskStatus::waiting: return phase.value_or(Phase::planning);
    case TaskStatus::completed: return Phase::completed;
    case TaskStatus::failed:
    case TaskStatus::cancelled: break;
    }
    return Phase::failed;
}

std::span<const EnumName> names_of(const SubAgentStatus*)
{
    static constexpr EnumName names[] = {{int(SubAgentStatus::running), "running"},
                                         {int(SubAgentStatus::completed), "completed"},
                                         {int(SubAgentStatus::failed), "failed"}};
    return names;
}

}  // namespace cadre::model
