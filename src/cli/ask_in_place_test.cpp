#include "cli/ask_in_place.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::cli;
using model::HumanRequestType;
using model::HumanVerb;

TEST_CASE("answers typed at a terminal: what they mean depends on the question")
{
    const auto approval = HumanRequestType::approval;
    const auto feedback = HumanRequestType::feedback;
    const auto unknown = HumanRequestType::outcome_unknown;
    struct {
        HumanRequestType type;
        const char* line;
        Meaning meaning;
        HumanVerb verb;
        const char* message;
    } const cases[] = {
        {approval, "y", Meaning::answer, HumanVerb::approve, ""},
        {approval, "  yes please ", Meaning::answer, HumanVerb::approve, "please"},
        {approval, "n too long", Meaning::answer, HumanVerb::reject, "too long"},
        {approval, "no", Meaning::answer, HumanVerb::reject, ""},
        {approval, "e", Meaning::edit, {}, ""},
        {approval, "a", Meaning::unclear, {}, ""},  // no rule would do
        {approval, "yesterday", Meaning::unclear, {}, ""},
        {approval, "nothing", Meaning::unclear, {}, ""},
        {approval, "", Meaning::unclear, {}, ""},
        {feedback, "red", Meaning::answer, HumanVerb::approve, "red"},
        {feedback, "purple", Meaning::unclear, {}, ""},  // asked again
        {feedback, "2", Meaning::answer, HumanVerb::approve, "blue"},
        {feedback, "3", Meaning::unclear, {}, ""},
        {feedback, " ", Meaning::unclear, {}, ""},
        {unknown, "y", Meaning::result, {}, ""},
        {unknown, "n", Meaning::answer, HumanVerb::not_happened, ""},
        {unknown, "f enough", Meaning::answer, HumanVerb::reject, "enough"},
        {unknown, "maybe", Meaning::unclear, {}, ""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.line);
        model::HumanRequest request{.type = c.type};
        request.context["choices"] = {"red", "blue"};
        request.context["arguments"] = boost::json::object{};
        const Understood understood = understand(request, c.line);
        CHECK(understood.meaning == c.meaning);
        if (c.meaning != Meaning::answer) continue;
        CHECK(understood.answer.verb == c.verb);
        CHECK(understood.answer.message == c.message);
        CHECK(model::suits(c.type, understood.answer.verb));
    }
}

TEST_CASE("a question without a call has no arguments to edit")
{
    const model::HumanRequest request{.type = HumanRequestType::approval};
    CHECK(prompt_of(request) == "[y]es, [n]o REASON, Ctrl-D to decide later: ");
    CHECK(understand(request, "e").meaning == Meaning::unclear);
}

TEST_CASE("always is an answer to an approval that a rule could have given")
{
    const model::HumanRequest approval{.type = HumanRequestType::approval};
    for (const char* line : {"a", "always", " always "}) {
        const Understood understood = understand(approval, line, "work");
        CHECK(understood.meaning == Meaning::always);
        CHECK(understood.answer.verb == HumanVerb::approve);
    }
    CHECK(understand(approval, "always so", "work").meaning == Meaning::unclear);
    CHECK(understand({.type = HumanRequestType::outcome_unknown}, "a", "work").meaning == Meaning::unclear);
    CHECK(prompt_of(approval, "work").find("[a]lways allow work") != std::string::npos);
    CHECK(prompt_of(approval).find("lways") == std::string::npos);
}
