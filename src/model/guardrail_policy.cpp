// Guardrail policies of a team, and the rules that they are made of (S-06).
#include "model/describe.hpp"
#include "model/team.hpp"
#include "model/team_check.hpp"

namespace cadre::model {

namespace {

/// What check_rule_value() wants of `value`.
constexpr const char* kRuleValueSchema = R"({"allOf":[
    {"if":{"properties":{"kind":{"enum":["max_length","max_calls"]}}},
     "then":{"required":["value"],"properties":{"value":{"type":"integer","minimum":0}}}},
    {"if":{"properties":{"kind":{"const":"min_length"}}},
     "then":{"required":["value"],"properties":{"value":{"type":"integer","minimum":1}}}},
    {"if":{"properties":{"kind":{"const":"regex"}}},
     "then":{"required":["value"],"properties":{"value":{"type":"string","minLength":1}}}},
    {"if":{"properties":{"kind":{"const":"keywords"}}},
     "then":{"required":["value"],"properties":{"value":{"type":"array","minItems":1,"items":{"type":"string"}}}}},
    {"if":{"properties":{"kind":{"const":"pii"}}},
     "then":{"properties":{"value":{"type":["array","null"],"minItems":1,"items":{"type":"string"}}}}}]})";

}  // namespace

std::span<const EnumName> names_of(const PolicyType*)
{
    static constexpr EnumName names[] = {{int(PolicyType::input_validation), "input_validation"},
                                         {int(PolicyType::content_filter), "content_filter"},
                                         {int(PolicyType::rate_limit), "rate_limit"},
                                         {int(PolicyType::compliance), "compliance"}};
    return names;
}

std::span<const EnumName> names_of(const PolicyAction*)
{
    static constexpr EnumName names[] = {{int(PolicyAction::block), "block"},
                                         {int(PolicyAction::warn), "warn"},
                                         {int(PolicyAction::log), "log"},
                                         {int(PolicyAction::rewrite), "rewrite"}};
    return names;
}

std::span<const EnumName> names_of(const RuleKind*)
{
    static constexpr EnumName names[] = {{int(RuleKind::max_length), "max_length"},
                                         {int(RuleKind::min_length), "min_length"},
                                         {int(RuleKind::regex), "regex"},
                                         {int(RuleKind::keywords), "keywords"},
                                         {int(RuleKind::pii), "pii"},
                                         {int(RuleKind::max_calls), "max_calls"}};
    return names;
}

std::span<const EnumName> names_of(const RulePlace*)
{
    static constexpr EnumName names[] = {
        {int(RulePlace::input), "input"}, {int(RulePlace::output), "output"}, {int(RulePlace::tool), "tool"}};
    return names;
}

const Entity& describe(const GuardrailRule*)
{
    static const Entity entity{
        .name = "guardrail_rule",
        .doc = "One rule of a policy.",
        .fields = {field("kind", &GuardrailRule::kind, "What is looked at.", {.required = true}),
                   field("value", &GuardrailRule::value,
                         "A number for lengths and max_calls, a pattern for regex, a list of words for keywords; pii "
                         "needs none, or a list of kinds."),
                   field("window_s", &GuardrailRule::window_s, "Seconds over which max_calls counts.", {.min = 1}),
                   field("on", &GuardrailRule::on, "Where it applies; left out: everywhere.")},
        .dialect = {.writes_null = false},  // a rule is a dict in the document: it goes out as it came in
        .demands = {{.when = {!is("kind", {"max_calls"})},
                     .then = !given("window_s"),
                     .says = "means something only for max_calls"}},
        .checks = {check<GuardrailRule>({"kind", "value"},
                                        "`value` is a whole number for `max_length`, `min_length` and `max_calls`, a "
                                        "pattern for `regex`, a list of words for `keywords`, and a list of kinds or "
                                        "nothing for `pii`.",
                                        check_rule_value, kRuleValueSchema)},
        .example = R"({"kind":"max_calls","value":10,"window_s":60,"on":"tool"})"};
    return entity;
}

const Entity& describe(const GuardrailPolicy*)
{
    static const Entity entity{
        .name = "guardrail_policy",
        .doc = "Rules, and what happens when one is broken.",
        .fields =
            {field("name", &GuardrailPolicy::name, "Unique in its team.", {.required = true, .min_length = 1}),
             field("type", &GuardrailPolicy::type, "What it is about.", {.required = true}),
             field("rules", &GuardrailPolicy::rules, "The rules.", {.required = true}),
             field("severity", &GuardrailPolicy::severity, "How bad it is to break one."),
             field("action", &GuardrailPolicy::action,
                   "What happens then: `block` stops it, `rewrite` masks what was found, `warn` and `log` only tell."),
             field("everywhere", &GuardrailPolicy::everywhere,
                   "Whether it holds for every agent of the team, not only for those that name it.",
                   {.extension = true})},
        .example =
            R"({"name":"calm","type":"rate_limit","rules":[{"kind":"max_calls","value":10,"window_s":60,"on":"tool"},
{"kind":"keywords","value":["secret","internal"],"on":"output"}],"severity":"high","action":"block"})"};
    return entity;
}

}  // namespace cadre::model
