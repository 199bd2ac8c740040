#include "engine/index_detail.hpp"

#include "base/error.hpp"
#include "model/describe.hpp"
#include "model/read.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"

namespace cadre::engine {

const model::Entity& describe(const IndexDetail*)
{
    using model::field;
    static const model::Entity entity{
        .name = "index_detail",
        .doc = "What the list of tasks knows of one without reading its journal.",
        .fields =
            {
                field("questions", &IndexDetail::questions, "What is asked of a person."),
                field("error", &IndexDetail::error, "Why it failed."),
                field("pause", &IndexDetail::pause, "Why it is paused."),
                field("kind", &IndexDetail::kind, "For retention.", {.extension = true}),
                field("retention_days", &IndexDetail::retention_days, "For retention.", {.extension = true}),
                field("turn", &IndexDetail::turn, "Which one of its session.", {.extension = true}),
                field("history", &IndexDetail::history, "What it needs of the conversation before it.",
                      {.extension = true}),
                field("kept_from", &IndexDetail::kept_from, "For retention: when it came here.", {.extension = true}),
                field("purged_at", &IndexDetail::purged_at, "When its journal was removed.", {.extension = true}),
            },
    };
    return entity;
}

std::string detail_text(const IndexDetail& detail)
{
    return model::to_json_text(detail);
}

IndexDetail detail_of(const storage::TaskEntry& entry)
{
    if (entry.detail.empty()) return {};
    try {
        return model::from_text<IndexDetail>(entry.detail, {.ignore_unknown = true});
    } catch (const Error&) {
        return {};
    }
}

model::TaskStatus listed_status(const storage::TaskEntry& entry)
{
    return model::find_named<model::TaskStatus>(entry.status).value_or(model::TaskStatus::running);
}

}  // namespace cadre::engine
