#include "model/views/framework_retention.hpp"

#include "model/describe.hpp"
#include "model/status.hpp"
#include "model/task.hpp"
#include "model/wire_name.hpp"

namespace cadre::model::framework {

namespace {

constexpr Rule kDays{.min = 0};

void check_statuses(const RetentionPolicy& policy, const Path& path, Problems& problems)
{
    const Path statuses(path, "by_status");
    for (const auto& [name, days] : policy.by_status) {
        const auto status = find_named<model::TaskStatus>(name);
        if (!status || !is_finished(*status))
            problems.add(Path(statuses, name), "must be completed, failed or cancelled: only what has ended is purged");
    }
}

}  // namespace

std::span<const EnumName> names_of(const PurgeScope*)
{
    static constexpr EnumName names[] = {
        {int(PurgeScope::history), "history"},
        {int(PurgeScope::all), "all"},
    };
    return names;
}

const Entity& describe(const RetentionPolicy*)
{
    static const Entity entity{
        .name = "retention_policy",
        .doc = "How many days the traces of a task are kept after its end.",
        .fields =
            {
                field("default_days", &RetentionPolicy::default_days, "Days when nothing below says otherwise.",
                      {.min = 0}),
                field("by_task", &RetentionPolicy::by_task, "Days by kind of task.", {.items = &kDays}),
                field("by_status", &RetentionPolicy::by_status, "Days by how the task ended.", {.items = &kDays}),
                field("scope", &RetentionPolicy::scope,
                      "What goes: `history` leaves task.json, the artifacts and an entry in the list of tasks; `all` "
                      "leaves nothing.",
                      {.extension = true}),
            },
        .home = {Home::Kind::yaml_file, "`config/retention_policy.yaml`"},
        .checks = {check<RetentionPolicy>(
            {},
            "`by_status` knows `completed`, `failed` and `cancelled`: only what has ended is "
            "purged.",
            check_statuses, R"({"properties":{"by_status":{
            "propertyNames":{"enum":["completed","failed","cancelled","canceled"]}}}})")},
        .example = R"({"default_days":7,"by_task":{"critical":30,"debug":3},"by_status":{"completed":7,"failed":14}})",
    };
    return entity;
}

RetentionPolicy standard_retention()
{
    RetentionPolicy policy;
    policy.by_task["critical"] = 30;
    policy.by_task["debug"] = 3;
    policy.by_status["completed"] = 7;
    policy.by_status["failed"] = 14;
    return policy;
}

int retention_days(const model::Task& task, const RetentionPolicy& policy)
{
    if (task.retention_days) return *task.retention_days;
    if (const int* days = policy.by_task.find(task.kind)) return *days;
    if (const int* days = policy.by_status.find(wire_name(task.status))) return *days;
    // a cancelled task is a failed one here, unless the policy knows better
    if (const int* days = policy.by_status.find(status_word(task.status, Boundary::framework))) return *days;
    return policy.default_days;
}

std::optional<Time> purge_time(const model::Task& task, const RetentionPolicy& policy)
{
    if (!is_finished(task.status) || !task.completed_at) return std::nullopt;
    return *task.completed_at + std::chrono::days(retention_days(task, policy));
}

}  // namespace cadre::model::framework
