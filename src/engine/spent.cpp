#include "engine/spent.hpp"

#include "engine/body.hpp"

#include <boost/json.hpp>

#include <map>
#include <string_view>
#include <utility>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

Spending spent_in(const std::vector<Record>& records, const TaskState& state)
{
    Spending spent;
    std::map<std::string_view, Spending> reserved;  // of the last attempt at a path
    for (const Record& record : records) {
        if (effect_of(record) != EffectKind::think || state.is_reused(record.seq)) continue;
        Spending& open = reserved[record.path];
        if (record.kind == RecordKind::intent) {
            const auto intent = body_of<IntentBody>(record);
            open = {.tokens = intent.reserve.value_or(0), .cost = intent.reserve_cost.value_or(0)};
            spent += open;
            ++spent.steps;
        } else if (record.kind == RecordKind::attempt_failed) {
            if (body_of<AttemptFailedBody>(record).free) spent -= std::exchange(open, {});
        } else if (record.kind == RecordKind::outcome) {
            const auto usage = usage_of(body_of<OutcomeBody>(record).of).find();
            if (!usage) continue;
            spent -= open;
            spent += {.tokens = usage->input + usage->output, .cost = usage->cost};
        }
    }
    return spent;
}

}  // namespace cadre::engine
