#include "engine/body.hpp"

#include "engine/body_members.hpp"
#include "engine/task_state.hpp"

#include <boost/json.hpp>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

/// Calls `take` for each member of the record's body.
template <class Take>
void take_apart(const Record& record, Take take)
{
    MemberCursor member(record.body);
    while (member.next()) take(MemberTaker(member, record));
    if (member.is_whole()) return;
    try {
        parse_json(record.body, kBodyLimits);
    } catch (const std::exception& error) {  // which says where
        throw_unreadable(record, error.what());
    }
    throw_unreadable(record, "it is not an object");
}

template <class Kind>
Kind read(const Record& record)
{
    Kind body;
    take_apart(record, [&](MemberTaker taker) { Kind::members(body, taker); });
    return body;
}

/// `of` is one of the effect's kind.
template <class Kind>
Kind read_effect(const Record& record, decltype(Kind::of) of)
{
    Kind body{.of = std::move(of)};
    std::visit(
        [&](auto& own) {
            take_apart(record, [&](MemberTaker taker) {
                Kind::members_before(body, taker);
                own.members(own, taker);
                Kind::members_behind(body, taker);
            });
        },
        body.of);
    return body;
}

Body::Variant variant_of(const Record& record)
{
    switch (record.kind) {
    case RecordKind::created: return CreatedBody{.spec = {record.body, record}};
    case RecordKind::started: return read<StartedBody>(record);
    case RecordKind::intent: return read_effect<IntentBody>(record, empty_intent(effect_of(record)));
    case RecordKind::outcome: return read_effect<OutcomeBody>(record, empty_outcome(effect_of(record)));
    case RecordKind::unknown: return read<UnknownBody>(record);
    case RecordKind::node_done: return NodeDoneBody{.result = record.body};
    case RecordKind::answer: return read<AnswerBody>(record);
    case RecordKind::instruction: return read<InstructionBody>(record);
    case RecordKind::cancel: return read<CancelBody>(record);
    case RecordKind::pause: return read<PauseBody>(record);
    case RecordKind::resume: return read<ResumeBody>(record);
    case RecordKind::setting: return read<SettingBody>(record);
    case RecordKind::late_result:
        return LateResultBody{.outcome = read_effect<OutcomeBody>(record, empty_outcome(effect_of(record)))};
    case RecordKind::note: return read<NoteBody>(record);
    case RecordKind::completed: return read<CompletedBody>(record);
    case RecordKind::failed: return read<FailedBody>(record);
    case RecordKind::cancelled: return read<CancelledBody>(record);
    case RecordKind::attempt_failed: return read<AttemptFailedBody>(record);
    case RecordKind::upkeep: return read<UpkeepBody>(record);
    }
    return NewerBody{};
}

template <class Kind, class Member>
void for_all_members(const Kind& body, Member&& member)
{
    if constexpr (requires { body.of; }) {
        Kind::members_before(body, member);
        std::visit([&](const auto& own) { own.members(own, member); }, body.of);
        Kind::members_behind(body, member);
    } else {
        Kind::members(body, member);
    }
}

json::object object_of(const Record& record)
{
    try {
        return parse_json(record.body, kBodyLimits).as_object();
    } catch (const std::exception& error) {
        throw_unreadable(record, error.what());
    }
}

}  // namespace

Body::Body(const Record& record) : of_(variant_of(record))
{}

void Body::expect_readable() const
{
    visit([]<class Kind>(const Kind& body) {
        if constexpr (std::is_same_v<Kind, CreatedBody>) body.spec.get();
        else if constexpr (std::is_same_v<Kind, LateResultBody>) for_all_members(body.outcome, MemberReader());
        else if constexpr (!AnyOf<Kind, NodeDoneBody, NewerBody>) for_all_members(body, MemberReader());
    });
}

template <class Kind>
std::string text_of(const Kind& body)
{
    std::string out;
    out.reserve(128);
    out += '{';
    for_all_members(body, MemberWriter(out, true));
    out += '}';
    return out;
}

template std::string text_of(const StartedBody&);
template std::string text_of(const IntentBody&);
template std::string text_of(const OutcomeBody&);
template std::string text_of(const UnknownBody&);
template std::string text_of(const AnswerBody&);
template std::string text_of(const InstructionBody&);
template std::string text_of(const CancelBody&);
template std::string text_of(const PauseBody&);
template std::string text_of(const ResumeBody&);
template std::string text_of(const SettingBody&);
template std::string text_of(const NoteBody&);
template std::string text_of(const CompletedBody&);
template std::string text_of(const FailedBody&);
template std::string text_of(const CancelledBody&);
template std::string text_of(const AttemptFailedBody&);
template std::string text_of(const UpkeepBody&);

template <>
std::string text_of(const CreatedBody& body)
{
    std::string out;
    body.spec.append_to(out);
    return out;
}

template <>
std::string text_of(const LateResultBody& body)
{
    return text_of(body.outcome);
}

std::string with_inputs(const Record& intent, const std::vector<std::uint32_t>& inputs)
{
    json::object body = object_of(intent);
    body["inputs"] = json::array(inputs.begin(), inputs.end());
    return to_text(body);
}

std::string without_parts(const Record& intent)
{
    json::object body = object_of(intent);
    return body.erase("parts") > 0 ? to_text(body) : intent.body;
}

std::string with_mark(const Record& created, const Imported* mark)
{
    json::object spec = object_of(created);
    spec.erase("imported");
    if (mark) spec["imported"] = {{"hash", mark->hash}, {"redacted", mark->redacted}, {"at", to_iso(*mark->at)}};
    return to_text(spec);
}

}  // namespace cadre::engine
