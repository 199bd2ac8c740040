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
     "then":{"properties":{"value":{"type":["array","null"],"minItems":1,"items":{"type":"string"}}}}},
    {"if":{"properties":{"kind":{"const":"injection"}}},
     "then":{"properties":{"value":{"type":["number","null"],"exclusiveMinimum":0,"maximum":1}}}},
    {"if":{"properties":{"kind":{"const":"schema"}}},
     "then":{"required":["value"],"properties":{"value":{"type":"object"}}}},
    {"if":{"properties":{"kind":{"const":"urls"}}},
     "then":{"required":["value"],"properties":{"value":{"type":"array","minItems":1,"items":{"type":"string"}}}}},
    {"if":{"properties":{"kind":{"const":"similar"}}},
     "then":{"required":["value"],"properties":{"value":{"type":"object","required":["phrases"],"properties":{
         "phrases":{"type":"array","minItems":1,"items":{"type":"string"}},
         "at":{"type":"number","exclusiveMinimum":0,"maximum":1}},"additionalProperties":false}}}}]})";

/// What check_asked_places() wants of the rules.
constexpr const char* kAskedPlacesSchema = R"({"if":{"properties":{"action":{"const":"ask"}},"required":["action"]},
    "then":{"properties":{"rules":{"items":{"required":["on"],
        "properties":{"on":{"enum":["input","tool_call","handoff","delegate","send"]}}}}}}})";

/// What waits until somebody agrees has not happened yet, and is on record already.

void check_asked_places(const GuardrailPolicy& policy, const Path& path, Problems& problems)
{
    if (policy.action != PolicyAction::ask) return;
    for (std::size_t i = 0; i < policy.rules.size(); ++i) {
        const auto& on = policy.rules[i].on;
        if (on && *on != RulePlace::output && *on != RulePlace::tool && *on != RulePlace::tool_result) continue;
        const Path list(path, "rules");
        problems.add(Path(Path(list, i), "on"),
                     "must be input, tool_call, handoff, delegate or send where the action is ask: a person is asked "
                     "before something happens");
    }
}

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
                                         {int(PolicyAction::rewrite), "rewrite"},
                                         {int(PolicyAction::ask), "ask"}};
    return names;
}

std::span<const EnumName> names_of(const RuleKind*)
{
    static constexpr EnumName names[] = {{int(RuleKind::max_length), "max_length"},
                                         {int(RuleKind::min_length), "min_length"},
                                         {int(RuleKind::regex), "regex"},
                                         {int(RuleKind::keywords), "keywords"},
                                         {int(RuleKind::pii), "pii"},
                                         {int(RuleKind::max_calls), "max_calls"},
                                         {int(RuleKind::schema), "schema"},
                                         {int(RuleKind::injection), "injection"},
                                         {int(RuleKind::similar), "similar"},
                                         {int(RuleKind::urls), "urls"}};
    return names;
}

std::span<const EnumName> names_of(const RulePlace*)
{
    static constexpr EnumName names[] = {{int(RulePlace::input), "input"},
                                         {int(RulePlace::output), "output"},
                                         {int(RulePlace::tool), "tool"},
                                         {int(RulePlace::tool_call), "tool_call"},
                                         {int(RulePlace::tool_result), "tool_result"},
                                         {int(RulePlace::handoff), "handoff"},
                                         {int(RulePlace::delegate), "delegate"},
                                         {int(RulePlace::send), "send"}};
    return names;
}

const Entity& describe(const GuardrailRule*)
{
    static const Entity entity{
        .name = "guardrail_rule",
        .doc = "One rule of a policy.",
        .fields =
            {field("kind", &GuardrailRule::kind, "What is looked at.", {.required = true}),
             field("value", &GuardrailRule::value,
                   "A number for lengths and max_calls, a pattern for regex, a list of words for keywords, of allowed "
                   "hosts for urls, a JSON Schema for schema, `{phrases: [...], at: 0.8}` for similar; pii needs "
                   "none, or a list of kinds, and injection none, or from which score on."),
             field("window_s", &GuardrailRule::window_s, "Seconds over which max_calls counts.", {.min = 1}),
             field("on", &GuardrailRule::on, "Where it applies; left out: everywhere.")},
        .dialect = {.writes_null = false},  // a rule is a dict in the document: it goes out as it came in
        .demands = {{.when = {!is("kind", {"max_calls"})},
                     .then = !given("window_s"),
                     .says = "means something only for max_calls"}},
        .checks = {check<GuardrailRule>({"kind", "value"},
                                        "`value` is a whole number for `max_length`, `min_length` and `max_calls`, a "
                                        "pattern for `regex`, a list of words for `keywords`, a list of kinds or "
                                        "nothing for `pii`, a list of hosts for `urls`, a schema for `schema`, "
                                        "phrases for `similar`, and a number up to 1 or nothing for `injection`.",
                                        check_rule_value, kRuleValueSchema)},
        .example = R"({"kind":"max_calls","value":10,"window_s":60,"on":"tool"})"};
    return entity;
}

const Entity& describe(const GuardrailPolicy*)
{
    static const Entity entity{
        .name = "guardrail_policy",
        .doc = "Rules, and what happens when one is broken.",
        .fields = {field("name", &GuardrailPolicy::name, "Unique in its team.", {.required = true, .min_length = 1}),
                   field("type", &GuardrailPolicy::type, "What it is about.", {.required = true}),
                   field("rules", &GuardrailPolicy::rules, "The rules.", {.required = true}),
                   field("severity", &GuardrailPolicy::severity, "How bad it is to break one."),
                   field("action", &GuardrailPolicy::action,
                         "What happens then: `block` stops it, `rewrite` masks what was found, `ask` asks a person "
                         "first, `warn` "
                         "and `log` only tell."),
                   field("everywhere", &GuardrailPolicy::everywhere,
                         "Whether it holds for every agent of the team, not only for those that name it.",
                         {.extension = true})},
        .checks = {check<GuardrailPolicy>({"action", "rules"},
                                          "With `ask`, each rule says `on`: `input`, `tool_call`, `handoff`, "
                                          "`delegate` or `send`.",
                                          check_asked_places, kAskedPlacesSchema)},
        .example =
            R"({"name":"calm","type":"rate_limit","rules":[{"kind":"max_calls","value":10,"window_s":60,"on":"tool"},
{"kind":"keywords","value":["secret","internal"],"on":"output"}],"severity":"high","action":"block"})"};
    return entity;
}

const Entity& describe(const OperatorPolicies*)
{
    static const Entity entity{
        .name = "operator_policies",
        .doc = "Guardrails of a home: they hold for every agent of every team that runs there, and no team can switch "
               "them off.",
        .fields = {field("policies", &OperatorPolicies::policies, "All of them.", {.required = true})},
        .home = {Home::Kind::yaml_file, "`config/guardrails.yaml` of the home"},
        .example =
            R"({"policies":[{"name":"no_keys","type":"compliance","rules":[{"kind":"regex","value":"AKIA[A-Z0-9]{16}"}],
"severity":"critical","action":"block"}]})"};
    return entity;
}

}  // namespace cadre::model
