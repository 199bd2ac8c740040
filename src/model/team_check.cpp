#include "model/team_check.hpp"

#include "base/error.hpp"
#include "model/names.hpp"
#include "model/team.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cadre::model {

namespace {

namespace json = boost::json;

/// The names of one kind of thing in a team.
class Names {
public:
    template <class T>
    Names(std::string_view kind, const std::vector<T>& things, Problems& problems) : kind_(kind), problems_(problems)
    {
        for (const T& thing : things) all_.push_back(thing.name);
        known_.insert(all_.begin(), all_.end());
    }

    void expect_distinct(const Path& list) const
    {
        std::set<std::string_view> seen;
        for (std::size_t i = 0; i < all_.size(); ++i) {
            const Path here(list, i);
            if (!seen.insert(all_[i]).second) problems_.add(Path(here, "name"), quoted(all_[i]) + " is here twice");
        }
    }

    void expect(const std::string& name, const Path& path) const
    {
        if (known_.contains(name)) return;
        problems_.add(path, fmt::format("unknown {} {}{}", kind_, quoted(name), problems_.suggestion(name, all_)));
    }

    void expect(const std::vector<std::string>& names, const Path& list) const
    {
        for (std::size_t i = 0; i < names.size(); ++i) expect(names[i], Path(list, i));
    }

private:
    std::string_view kind_;
    std::vector<std::string> all_;
    std::set<std::string> known_;
    Problems& problems_;
};

void check_agent_names(const std::vector<Agent>& agents, const Path& list, Problems& problems)
{
    std::vector<NamedAlias> names;
    names.reserve(agents.size());
    for (const Agent& agent : agents) names.push_back({agent.name, agent.alias ? *agent.alias : std::string_view()});
    check_names(names, list, problems);
}

bool is_whole_number(const json::value& value, std::int64_t least)
{
    const auto* number = value.if_int64();
    return number && *number >= least;
}

bool is_list_of_texts(const json::value& value)
{
    const auto* list = value.if_array();
    return list && !list->empty() && std::ranges::all_of(*list, [](const json::value& v) { return v.is_string(); });
}

}  // namespace

void check_team(const Team& team, const Path& path, Problems& problems)
{
    const Path agent_list(path, "agents"), tool_list(path, "tools"), handoff_list(path, "handoff_rules"),
        pattern_list(path, "collaboration_patterns"), policy_list(path, "guardrail_policies");
    const Names agents("agent", team.agents, problems);
    const Names tools("tool", team.tools, problems);
    const Names patterns("pattern", team.collaboration_patterns, problems);
    const Names policies("policy", team.guardrail_policies, problems);
    check_agent_names(team.agents, agent_list, problems);
    tools.expect_distinct(tool_list);
    patterns.expect_distinct(pattern_list);
    policies.expect_distinct(policy_list);

    for (std::size_t i = 0; i < team.agents.size(); ++i) {
        const Path here(agent_list, i);
        tools.expect(team.agents[i].tools, Path(here, "tools"));
        policies.expect(team.agents[i].guardrail_policies, Path(here, "guardrail_policies"));
        patterns.expect(team.agents[i].collaboration_patterns, Path(here, "collaboration_patterns"));
    }
    for (std::size_t i = 0; i < team.tools.size(); ++i) {
        const Path here(tool_list, i);
        tools.expect(team.tools[i].fallback_tools, Path(here, "fallback_tools"));
    }
    for (std::size_t i = 0; i < team.handoff_rules.size(); ++i) {
        const Path here(handoff_list, i);
        agents.expect(team.handoff_rules[i].from_agent, Path(here, "from_agent"));
        agents.expect(team.handoff_rules[i].to_agent, Path(here, "to_agent"));
    }
    for (std::size_t i = 0; i < team.collaboration_patterns.size(); ++i) {
        const CollaborationPattern& pattern = team.collaboration_patterns[i];
        const Path here(pattern_list, i);
        agents.expect(pattern.agents, Path(here, "agents"));
        if (pattern.coordination_agent) agents.expect(*pattern.coordination_agent, Path(here, "coordination_agent"));
    }
}

void check_pattern(const CollaborationPattern& pattern, const Path& path, Problems& problems)
{
    const json::value* rule = pattern.config.if_contains("rule");
    if (!rule || pattern.type != PatternType::consensus) return;
    static const std::vector<std::string> rules{"majority", "unanimous", "weighted"};
    const std::string word = rule->is_string() ? std::string(rule->get_string()) : std::string();
    if (std::ranges::find(rules, word) != rules.end()) return;
    const Path config(path, "config");
    problems.add(Path(config, "rule"),
                 fmt::format("must be majority, unanimous or weighted{}", problems.suggestion(word, rules)));
}

void check_rule_value(const GuardrailRule& rule, const Path& path, Problems& problems)
{
    const json::value value = rule.value.value_or(nullptr);
    const char* wanted = nullptr;
    switch (rule.kind) {
    case RuleKind::max_length:
    case RuleKind::max_calls:
        if (!is_whole_number(value, 0)) wanted = "must be a whole number of at least 0";
        break;
    case RuleKind::min_length:
        if (!is_whole_number(value, 1)) wanted = "must be a whole number of at least 1";
        break;
    case RuleKind::regex:
        if (!value.is_string() || value.get_string().empty()) wanted = "must be a pattern, as text";
        break;
    case RuleKind::keywords:
        if (!is_list_of_texts(value)) wanted = "must be a list of words";
        break;
    case RuleKind::pii:
        if (rule.value && !is_list_of_texts(value)) wanted = "must be a list of kinds, or left out for all";
        break;
    }
    if (wanted) problems.add(Path(path, "value"), wanted);
    if (rule.window_s && rule.kind != RuleKind::max_calls)
        problems.add(Path(path, "window_s"), "means something only for max_calls");
}

}  // namespace cadre::model
