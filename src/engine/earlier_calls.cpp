#include "engine/earlier_calls.hpp"

#include "engine/body.hpp"
#include "engine/recorded.hpp"

#include <boost/json.hpp>

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

/// What the model left there for itself; empty: nothing. Long answers without a mark are not taken apart.
std::string mark_in(const Record& record)
{
    if (record.body.find("\"mark\":") != record.body.npos) return Body(record).text("mark");
    if (record.body.find(llm::kScriptFailure) == record.body.npos) return {};
    const Body body(record);
    const auto* error = body.find("error");
    const auto* message = error && error->is_object() ? error->get_object().if_contains("message") : nullptr;
    return message && message->is_string() ? std::string(message->get_string()) : std::string();
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
            const Body body(record);
            call.agent = body.text("agent");
            call.nth = static_cast<int>(body.number("nth"));
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
