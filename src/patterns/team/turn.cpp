#include "patterns/team/turn.hpp"

#include "model/describe.hpp"

namespace cadre::patterns {

using model::field;

std::string whole_answer(const Turn& turn)
{
    if (turn.beside.empty()) return turn.text;
    std::string all;
    const auto add = [&all](const std::string& agent, const std::string& text) {
        if (!text.empty()) all += (all.empty() ? "[" : "\n\n[") + agent + "] " + text;
    };
    add(turn.agent, turn.text);
    for (const SideAnswer& answer : turn.beside) add(answer.agent, answer.text);
    return all;
}

const model::Entity& describe(const Handoff*)
{
    static const model::Entity entity{
        .name = "handoff",
        .doc = "An agent wants another one to carry on.",
        .fields = {field("call", &Handoff::call, "The call that asked for it.", {.extension = true}),
                   field("to", &Handoff::to, "Who carries on.", {.required = true}),
                   field("reason", &Handoff::reason, "Why.", {.extension = true}),
                   field("context", &Handoff::context, "What they are told besides.", {.extension = true}),
                   field("type", &Handoff::type, "What the agent itself does meanwhile.", {.extension = true})},
        .example = R"({"call":"call_1","to":"reviewer","reason":"The draft is done."})"};
    return entity;
}

const model::Entity& describe(const SideAnswer*)
{
    static const model::Entity entity{.name = "answer",
                                      .doc = "What an agent said that worked beside another one.",
                                      .fields = {field("agent", &SideAnswer::agent, "Who.", {.required = true}),
                                                 field("text", &SideAnswer::text, "What.", {.required = true})},
                                      .example = R"({"agent":"researcher","text":"Three sources."})"};
    return entity;
}

const model::Entity& describe(const Turn*)
{
    static const model::Entity entity{
        .name = "turn",
        .doc = "What came of an agent's turn in a team.",
        .fields = {field("agent", &Turn::agent, "Whose turn it was.", {.required = true}),
                   field("text", &Turn::text, "What it answered.", {.required = true}),
                   field("handoff", &Turn::handoff, "Whom it hands over to.", {.extension = true}),
                   field("beside", &Turn::beside, "What those said that worked at the same time.",
                         {.extension = true})},
        .example = R"({"agent":"writer","text":"A draft."})"};
    return entity;
}

}  // namespace cadre::patterns
