#include "engine/effect_body.hpp"

#include "engine/body_members.hpp"
#include "engine/perform.hpp"

#include <boost/json.hpp>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

IntentOf empty_intent(std::optional<EffectKind> kind)
{
    if (!kind) return NewerIntent{};
    switch (*kind) {
    case EffectKind::think: return ThinkIntent{};
    case EffectKind::use: return UseIntent{};
    case EffectKind::ask: return AskIntent{};
    case EffectKind::delegate: return DelegateIntent{};
    case EffectKind::recall: return RecallIntent{};
    case EffectKind::remember: return RememberIntent{};
    case EffectKind::save: return SaveIntent{};
    case EffectKind::check: return CheckIntent{};
    case EffectKind::send: return SendIntent{};
    case EffectKind::sleep: return SleepIntent{};
    case EffectKind::now: return NowIntent{};
    case EffectKind::fresh_id: return FreshIdIntent{};
    case EffectKind::first: return FirstIntent{};
    case EffectKind::join: return JoinIntent{};
    case EffectKind::announce: return AnnounceIntent{};
    case EffectKind::heed: return HeedIntent{};
    case EffectKind::route: return RouteIntent{};
    case EffectKind::compact: return CompactIntent{};
    }
    return NewerIntent{};
}

OutcomeOf empty_outcome(std::optional<EffectKind> kind)
{
    if (!kind) return NewerOutcome{};
    switch (*kind) {
    case EffectKind::think: return ThinkOutcome{};
    case EffectKind::use: return UseOutcome{};
    case EffectKind::ask: return AskOutcome{};
    case EffectKind::delegate: return DelegateOutcome{};
    case EffectKind::recall: return RecallOutcome{};
    case EffectKind::remember: return RememberOutcome{};
    case EffectKind::save: return SaveOutcome{};
    case EffectKind::check: return CheckOutcome{};
    case EffectKind::send: return SendOutcome{};
    case EffectKind::sleep: return SleepOutcome{};
    case EffectKind::now: return NowOutcome{};
    case EffectKind::fresh_id: return FreshIdOutcome{};
    case EffectKind::first: return FirstOutcome{};
    case EffectKind::join: return JoinOutcome{};
    case EffectKind::announce: return AnnounceOutcome{};
    case EffectKind::heed: return HeedOutcome{};
    case EffectKind::route: return RouteOutcome{};
    case EffectKind::compact: return CompactOutcome{};
    }
    return NewerOutcome{};
}

Text agent_of(const IntentOf& intent)
{
    return std::visit(
        [](const auto& of) {
            if constexpr (requires { of.agent; }) return of.agent;
            else return Text();
        },
        intent);
}

Lazy<llm::Usage> usage_of(const OutcomeOf& outcome)
{
    return std::visit(
        [](const auto& of) {
            if constexpr (requires { of.usage; }) return of.usage;
            else return Lazy<llm::Usage>();
        },
        outcome);
}

std::optional<Millis> time_of(const OutcomeOf& outcome)
{
    const auto ms = std::visit(
        [](const auto& of) {
            if constexpr (requires { of.ms; }) return of.ms;
            else return std::optional<std::int64_t>();
        },
        outcome);
    return ms ? std::optional(Millis(*ms)) : std::nullopt;
}

model::ToolResult result_of(const UseOutcome& use, const OutcomeBody& outcome)
{
    model::ToolResult result{.tool_call_id = use.call.str(),
                             .result = use.text.str(),
                             .artifacts = use.artifacts.get(),
                             .execution_time_ms = use.ms};
    if (use.exit_code) result.exit_code = static_cast<int>(*use.exit_code);
    if (auto usage = use.resource_usage.as_json(); usage.is_object())
        result.resource_usage = std::move(usage.get_object());
    if (use.resolved) {  // the tool said nothing
        if (!result.resource_usage) result.resource_usage.emplace();
        (*result.resource_usage)["said_by_person"] = true;
    }
    if (use.is_error) result.error = result.result;
    if (outcome.error.is_set()) result.error = outcome.error.get().message;
    return result;
}

void throw_recorded_error(const OutcomeBody& outcome)
{
    if (!outcome.error.is_set()) return;
    const RecordedError error = outcome.error.get();
    throw EffectFailed(code_of(error.code), error.message);  // as when it happened: who handles limits tells them apart
}

// ---- cheap questions ----

std::optional<EffectKind> effect_of(const Record& record)
{
    if (record.kind != RecordKind::intent && record.kind != RecordKind::outcome &&
        record.kind != RecordKind::late_result && record.kind != RecordKind::attempt_failed)
        return std::nullopt;
    MemberCursor member(record.body);
    while (member.next())  // we write it first
        if (member.name() == "effect") return find_effect(Text(member.json(), record).str());
    return std::nullopt;
}

bool was_cancelled(const Record& outcome)
{
    std::string_view body = outcome.body;
    return body.size() > kCancelledMembers.size() && body.substr(0, body.size() - 1).ends_with(kCancelledMembers);
}

// ---- writing ----

std::string intent_text(const Effect& effect, const Attempt& attempt)
{
    std::string body;
    body.reserve(160 + effect.intent.size());
    body += R"({"effect":")";
    body += name_of(effect.ask.kind());
    body += R"(","attempt":)";
    append_json_number(body, std::int64_t{attempt.number});
    if (attempt.choice > 0) append_json_number(body += R"(,"choice":)", std::int64_t{attempt.choice});
    if (!attempt.key.empty()) {
        body += R"(,"key":")";
        body += attempt.key;
        body += '"';
    }
    if (!effect.intent.empty()) {
        body += ',';
        body += effect.intent;
    }
    if (effect.reserve.tokens > 0) append_json_number(body += R"(,"reserve":)", effect.reserve.tokens);
    if (effect.reserve.cost > 0) append_json_number(body += R"(,"reserve_cost":)", effect.reserve.cost);
    if (effect.reserve.iterations > 0)
        append_json_number(body += R"(,"iterations":)", std::int64_t{effect.reserve.iterations});
    body += R"(,"parts":)";
    effect.ask.append_parts(body);
    body += '}';
    return body;
}

std::string outcome_text(const Effect& effect, std::string_view members)
{
    std::string body;
    body.reserve(32 + effect.outcome.size() + members.size());
    body += R"({"effect":")";
    body += name_of(effect.ask.kind());
    body += '"';
    for (const std::string_view part : {std::string_view(effect.outcome), members}) {
        if (part.empty()) continue;
        body += ',';
        body += part;
    }
    body += '}';
    return body;
}

std::string error_members(Code code, std::string_view message)
{
    std::string out;
    const RecordedError error{.code = std::string(name_of(code)), .message = std::string(message)};
    MemberWriter(out, true)("error", Lazy<RecordedError>(error));
    return out;
}

}  // namespace cadre::engine
