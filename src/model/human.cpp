#include "model/human.hpp"

#include "model/describe.hpp"
#include "model/wire_name.hpp"

#include <fmt/format.h>

namespace cadre::model {

namespace {

/// What check_request() wants of the answer's verb, in both spellings.
constexpr const char* kAnswerSchema = R"({"if":{"properties":{"type":{"const":"outcome_unknown"}}},
    "then":{"properties":{"answer":{"properties":{"verb":{"not":{"enum":
        ["approve","approved","modify","modified"]}}}}}},
    "else":{"properties":{"answer":{"properties":{"verb":{"not":{"enum":["happened","not_happened"]}}}}}}})";

void check_request(const HumanRequest& request, const Path& path, Problems& problems)
{
    if (!request.answer || suits(request.type, request.answer->verb)) return;
    const Path answer(path, "answer");
    problems.add(Path(answer, "verb"), fmt::format("\"{}\" is not an answer to a request of type {}",
                                                   wire_name(request.answer->verb), wire_name(request.type)));
}

}  // namespace

std::span<const EnumName> names_of(const HumanRequestType*)
{
    static constexpr EnumName names[] = {
        {int(HumanRequestType::approval), "approval"},
        {int(HumanRequestType::feedback), "feedback"},
        {int(HumanRequestType::escalation), "escalation"},
        {int(HumanRequestType::outcome_unknown), "outcome_unknown"},
    };
    return names;
}

std::span<const EnumName> names_of(const HumanVerb*)
{
    // the first spelling is written, every one is read
    static constexpr EnumName names[] = {
        {int(HumanVerb::approve), "approve"},   {int(HumanVerb::reject), "reject"},
        {int(HumanVerb::modify), "modify"},     {int(HumanVerb::timeout), "timeout"},
        {int(HumanVerb::happened), "happened"}, {int(HumanVerb::not_happened), "not_happened"},
        {int(HumanVerb::approve), "approved"},  {int(HumanVerb::reject), "rejected"},
        {int(HumanVerb::modify), "modified"},
    };
    return names;
}

std::string_view participle(HumanVerb verb)
{
    switch (verb) {
    case HumanVerb::approve: return "approved";
    case HumanVerb::reject: return "rejected";
    case HumanVerb::modify: return "modified";
    case HumanVerb::timeout: return "timeout";
    case HumanVerb::happened: return "modified";      // 004 has four words: its result was put in by hand,
    case HumanVerb::not_happened: return "approved";  // and the call was let go
    }
    return {};
}

const Entity& describe(const HumanAnswer*)
{
    static const Entity entity{
        .name = "human_answer",
        .doc = "What a person answers.",
        .fields =
            {
                field("verb", &HumanAnswer::verb, "What to do now.", {.required = true}),
                field("message", &HumanAnswer::message, "What the person says; the agent reads it."),
                field("updates", &HumanAnswer::updates, "Changes of the state, or the result of a call that happened."),
                field("by", &HumanAnswer::by, "Who answered."),
                field("after_ms", &HumanAnswer::after_ms, "Time from the request to the answer.", {.min = 0}),
            },
        .example = R"({"verb":"modify","message":"Shorter, please.","updates":{"routing_key":"rewrite"},"by":"ann",
            "after_ms":41000})",
    };
    return entity;
}

const Entity& describe(const HumanRequest*)
{
    static const Entity entity{
        .name = "human_request",
        .doc = "What is asked of a person before a task continues.",
        .fields =
            {
                field("id", &HumanRequest::id, "Its id.", {.required = true, .format = Format::uuid}),
                field("task", &HumanRequest::task, "Id of the task that waits.", {.required = true, .min_length = 1}),
                field("checkpoint", &HumanRequest::checkpoint, "Id of the checkpoint where it waits.",
                      {.required = true, .min_length = 1}),
                field("type", &HumanRequest::type, "What kind of answer is wanted.", {.required = true}),
                field("agent", &HumanRequest::agent, "Who asks.", {.required = true}),
                field("context", &HumanRequest::context, "What the person should know."),
                field("timeout_ms", &HumanRequest::timeout_ms, "How long an answer may take.", {.min = 1}),
                field("answer", &HumanRequest::answer, "The answer, once there is one."),
            },
        .home = {Home::Kind::inside, "shown to others as [hitl_request_event](hitl_request_event.md)"},
        .checks = {check<HumanRequest>(
            {"type", "answer"},
            "A request of type `outcome_unknown` is answered with `happened`, `not_happened` "
            "or `reject`, and no other one with the first two.",
            check_request, kAnswerSchema)},
        .example = R"({"id":"0c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f","task":"3f2b8c1e-9d4a-4e6b-8f7a-1c2d3e4f5a6b",
            "checkpoint":"9b2d4f6a-8c1e-4a3b-b5d7-0f9e8d7c6b5a","type":"approval","agent":"writer",
            "context":{"tool":"send_mail"},"timeout_ms":3600000,"answer":null})",
    };
    return entity;
}

bool suits(HumanRequestType type, HumanVerb verb)
{
    switch (verb) {
    case HumanVerb::reject:
    case HumanVerb::timeout: return true;
    case HumanVerb::approve:
    case HumanVerb::modify: return type != HumanRequestType::outcome_unknown;
    case HumanVerb::happened:
    case HumanVerb::not_happened: return type == HumanRequestType::outcome_unknown;
    }
    return false;
}

}  // namespace cadre::model
