// Document 000: how long the traces of a task are kept.
#pragma once

#include "model/type.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace cadre::model {
struct Task;
}

namespace cadre::model::framework {

/// What goes when the time has come (C-21).
enum class PurgeScope : std::uint8_t {
    history,  // trace, checkpoints, history, logs, memory; task.json, artifacts and a line in the list of tasks stay
    all,
};
std::span<const EnumName> names_of(const PurgeScope*);

struct RetentionPolicy {
    int default_days = 7;
    Dict<int> by_task{};    // kind of task to days
    Dict<int> by_status{};  // status to days
    PurgeScope scope = PurgeScope::history;

    bool operator==(const RetentionPolicy&) const = default;
};
const Entity& describe(const RetentionPolicy*);

/// The document's own policy; it holds where there is no `retention_policy.yaml`.
RetentionPolicy standard_retention();

/// The task's own number, else its kind's, else its status's, else the default (C-21).
int retention_days(const model::Task& task, const RetentionPolicy& policy);
/// When its traces may go; nothing for a task that has not ended.
std::optional<Time> purge_time(const model::Task& task, const RetentionPolicy& policy);

}  // namespace cadre::model::framework
