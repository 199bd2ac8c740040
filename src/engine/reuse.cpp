#include "engine/reuse.hpp"

#include "engine/body.hpp"

#include <algorithm>

namespace cadre::engine {

using storage::Record;

bool Reuse::takes(const Effect& effect, const RecordedEffect& recorded)
{
    const Record* end = recorded.outcome;
    if (!end && effect.continues) end = recorded.answer;
    if (!end) return false;  // nobody knows how it ended

    const Record& asked = recorded.intent ? *recorded.intent : *end;
    const bool same = asked.ask == effect.ask.digest();
    const bool is_think = effect.ask.kind() == EffectKind::think;
    if (end->seq <= rules_.at) {
        // a model's words stay what they were; a deed that is another one now has not been done
        if (!same && rules_.has_digests && changes_the_world(effect.ask.kind())) return false;
    } else {
        if (!same || rules_.other_work.contains(effect.path)) return false;
        if (is_think && std::ranges::count(rules_.other_agents, effect.agent) > 0) return false;
        if (is_think && body_of<OutcomeBody>(*end).error.is_set()) return false;  // worth another try
    }
    taken_.insert(effect.path);
    return true;
}

void Reuse::node_ended(const std::string& path, std::string_view result, const RecordedEffect* recorded)
{
    if (recorded && recorded->outcome && recorded->outcome->body == result) taken_.insert(path);
}

}  // namespace cadre::engine
