#include "engine/earlier_calls.hpp"

#include "engine/body.hpp"
#include "engine/effect_body.hpp"
#include "engine/recorded.hpp"

#include <algorithm>
#include <string_view>

namespace cadre::engine {

namespace {

using storage::Record;
using storage::RecordKind;

bool is_think(std::string_view path)
{
    return path.substr(path.rfind('/') + 1).starts_with("think:");
}

/// What the model left in its answer for itself, or how it failed; empty: nothing.
std::string mark_in(const Record& record)
{
    const auto said_in = [](const Lazy<RecordedError>& error) {
        return error.is_set() ? error.get().message : std::string();
    };
    if (record.kind == RecordKind::attempt_failed) {
        std::string said = said_in(body_of<AttemptFailedBody>(record).error);
        return said.starts_with(llm::kScriptFailure) ? said : std::string();
    }
    const auto outcome = body_of<OutcomeBody>(record);
    if (std::string said = said_in(outcome.error); said.starts_with(llm::kScriptFailure)) return said;
    return own_of<ThinkOutcome>(outcome, record).mark.str();
}

}  // namespace

EarlierCalls earlier_calls(const Recorded& recorded)
{
    EarlierCalls calls;
    std::map<std::string_view, llm::EarlierCall> under_way;  // by path
    std::vector<llm::EarlierCall> answered;
    for (const Record& record : recorded.records()) {
        if (!is_think(record.path)) continue;
        llm::EarlierCall& call = under_way[record.path];
        if (record.kind == RecordKind::intent) {
            const auto intent = body_of<IntentBody>(record);
            const auto& think = own_of<ThinkIntent>(intent, record);
            call.agent = think.agent.str();
            call.nth = static_cast<int>(think.nth);
            ++call.attempt;
            int& turns = calls.turns[call.agent];
            turns = std::max(turns, call.nth);
        } else if (record.kind == RecordKind::outcome || record.kind == RecordKind::attempt_failed) {
            call.mark = mark_in(record);
            if (!call.mark.empty()) answered.push_back(call);
        }
    }
    if (!answered.empty()) calls.answered = std::make_shared<const std::vector<llm::EarlierCall>>(std::move(answered));
    return calls;
}

}  // namespace cadre::engine
