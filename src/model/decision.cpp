#include "model/decision.hpp"

#include "model/describe.hpp"

namespace cadre::model {

std::span<const EnumName> names_of(const TargetKind*)
{
    static constexpr EnumName names[] = {{int(TargetKind::agent), "agent"}, {int(TargetKind::domain), "domain"}};
    return names;
}

const Entity& describe(const Decision*)
{
    static const Entity entity{
        .name = "decision",
        .doc = "Which agents or domains should deal with a query.",
        .fields =
            {
                field("query", &Decision::query, "What was asked.", {.required = true}),
                field("target_kind", &Decision::target_kind, "What the targets are."),
                field("targets", &Decision::targets, "Names, the first one leading.", {.unique = true}),
                field("confidence", &Decision::confidence, "How sure the router is.",
                      {.required = true, .min = 0, .max = 1}),
                field("reasoning", &Decision::reasoning, "Why these; alternatives, if it is ambiguous."),
                field("ambiguous", &Decision::ambiguous, "Whether others would have done as well."),
                field("clarify", &Decision::clarify, "Whether the person should be asked back first."),
            },
        .home = {Home::Kind::inside, "shown to others as [agent_choice_result](agent_choice_result.md) or "
                                     "[domain_routing_decision](domain_routing_decision.md)"},
        .demands = {{.when = {is("clarify", {"false"})},
                     .then = filled("targets"),
                     .says = "must not be empty unless clarify is true"}},
        .example = R"({"query":"Why do customers not buy?","target_kind":"domain","targets":["customer_behavior"],
            "confidence":0.85,"reasoning":"It is about purchases.","ambiguous":false,"clarify":false})",
    };
    return entity;
}

bool needs_clarification(const Decision& decision, double threshold)
{
    return decision.clarify || decision.confidence < threshold;
}

}  // namespace cadre::model
