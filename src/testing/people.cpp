#include "testing/people.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

namespace cadre::testing {

using model::HumanAnswer;
using model::HumanRequest;
using model::HumanVerb;
using model::TestAnswer;
using model::TestVerb;

namespace {

/// All texts in it, a line each.
void append_texts(std::string& out, const json::value& value)
{
    if (const auto* text = value.if_string()) out += std::string(*text) + "\n";
    if (const auto* list = value.if_array())
        for (const json::value& item : *list) append_texts(out, item);
    if (const auto* object = value.if_object())
        for (const auto& member : *object) append_texts(out, member.value());
}

}  // namespace

bool is_asked_for(const TestAnswer& answer, const HumanRequest& request)
{
    const bool wants_verb = request.type == model::HumanRequestType::approval;
    if (wants_verb && !answer.verb) return false;
    if (!answer.question) return true;
    std::string words;
    append_texts(words, request.context);
    return words.find(*answer.question) != words.npos;
}

HumanAnswer human_answer(const TestAnswer& answer)
{
    HumanAnswer out{.message = answer.answer.value_or("")};
    switch (answer.verb.value_or(TestVerb::approve)) {
    case TestVerb::approve: out.verb = HumanVerb::approve; break;
    case TestVerb::reject: out.verb = HumanVerb::reject; break;
    case TestVerb::modify:
        out.verb = HumanVerb::modify;
        if (answer.state) out.updates = *answer.state;
        else out.updates["arguments"] = answer.arguments.value_or(json::object());
        break;
    }
    return out;
}

std::string answer_text(const TestAnswer& answer)
{
    std::string text = answer.verb ? std::string(model::wire_name(*answer.verb)) : "";
    if (answer.answer) text += (text.empty() ? "" : " ") + in_quotes(*answer.answer);
    if (answer.question) text += " to " + in_quotes(*answer.question);
    return text;
}

std::string words_of(const HumanRequest& request)
{
    const json::value* question = request.context.if_contains("question");
    if (question && question->is_string()) return std::string(question->get_string());
    return fmt::format("{} {}", model::wire_name(request.type), to_text(request.context));
}

}  // namespace cadre::testing
