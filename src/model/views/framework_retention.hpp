// Document 000: how long the traces of a task are kept.
#pragma once

#include "model/type.hpp"

#include <optional>

namespace cadre::model {
struct Task;
}

namespace cadre::model::framework {

struct RetentionPolicy {
    int default_days = 7;
    Dict<int> by_task{};    // kind of task to days
    Dict<int> by_status{};  // status to days

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
