#include "patterns/message/message_view.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "engine/body.hpp"
#include "model/names.hpp"
#include "model/read.hpp"
#include "model/views/conversation_convert.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>

namespace cadre::patterns {

using namespace model::conversation;

namespace {

/// Calls `take(what, fact)` for each fact that the journal has.
template <class Take>
void each_fact(std::span<const storage::Record> records, const Take& take)
{
    for (const storage::Record& record : records) {
        if (record.kind != storage::RecordKind::outcome || engine::effect_of(record) != engine::EffectKind::announce)
            continue;
        const auto outcome = engine::body_of<engine::OutcomeBody>(record);
        const auto* announced = std::get_if<engine::AnnounceOutcome>(&outcome.of);
        if (announced) take(announced->what.str(), parse_json(announced->fact.text).as_object());
    }
}

std::optional<model::Phase> phase_in(const boost::json::object& fact)
{
    return model::find_named<model::Phase>(std::string_view(fact.at("phase").as_string()));
}

}  // namespace

MultiAgentWorkflowState message_state(const engine::TaskState& task, std::span<const storage::Record> records)
{
    if (task.spec.pattern != "message@1")
        throw Error(Code::not_found, "task " + to_string(task.id) + " answers no message");
    model::Task as;
    as.id = to_string(task.id);
    as.status = task.status;
    as.created_at = task.created_at;
    as.completed_at = task.completed_at;
    as.reply = task.reply;
    as.description = task.spec.description;
    std::int64_t refinements = 0;
    each_fact(records, [&](const std::string& what, const boost::json::object& fact) {
        if (what == "phase") as.phase = phase_in(fact);
        else if (what == "execution_plan") keep(model::from_json<ExecutionPlan>(fact), as);
        else if (what == "scorecard" && as.plan) as.plan->scorecard = fact;
        else if (what == "validation" && as.plan) {
            as.plan->scorecard = fact.at("scorecard").as_object();
            as.metadata["validation_result"] = fact.at("result");
        } else if (what == "composed_response") as.metadata[what] = fact.at("text");
        else if (what == "refinement_request") as.metadata["refinement_count"] = ++refinements;
        else if (what == "timesheet_data" || what == "formatted_response") as.metadata[what] = fact;
    });
    return state_view(as);
}

std::vector<std::string> keys_of_sends(std::span<const storage::Record> records)
{
    std::vector<std::string> keys;
    for (const storage::Record& record : records)
        if (record.kind == storage::RecordKind::intent && engine::effect_of(record) == engine::EffectKind::send)
            keys.push_back(engine::body_of<engine::IntentBody>(record).key.str());
    return keys;
}

std::vector<model::Phase> phases_of(const engine::TaskState& task, std::span<const storage::Record> records)
{
    std::vector<model::Phase> phases{model::Phase::created};
    each_fact(records, [&](const std::string& what, const boost::json::object& fact) {
        if (const auto phase = what == "phase" ? phase_in(fact) : std::nullopt) phases.push_back(*phase);
    });
    if (task.status == model::TaskStatus::completed) phases.push_back(model::Phase::completed);
    return phases;
}

}  // namespace cadre::patterns
