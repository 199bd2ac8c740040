#include "model/team_check.hpp"

#include "base/error.hpp"
#include "model/built_in_tools.hpp"
#include "model/known_names.hpp"
#include "model/names.hpp"
#include "model/pattern_config.hpp"
#include "model/read.hpp"
#include "model/route_setup.hpp"
#include "model/team.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace cadre::model {

namespace {

namespace json = boost::json;

template <class T>
std::vector<std::string> names_of_all(const std::vector<T>& things)
{
    std::vector<std::string> names;
    names.reserve(things.size());
    for (const T& thing : things) names.push_back(thing.name);
    return names;
}

/// The team's own tools and those that everybody has.
std::vector<std::string> names_of_tools(const Team& team)
{
    std::vector<std::string> names = names_of_all(team.tools);
    names.insert(names.end(), std::begin(kBuiltInTools), std::end(kBuiltInTools));
    return names;
}

/// The names of one kind of thing in a team.
class Names {
public:
    Names(std::string_view kind, std::string_view list_name, std::vector<std::string> names, const Path& list,
          Problems& problems)
        : kind_(kind),
          fix_(fmt::format("define it under {} of this team, or name one of them", list_name)),
          known_(std::move(names), list, "name", problems)
    {}

    void expect(const std::string& name, const Path& path) const
    {
        if (known_.lack(name, path))
            known_.report(name, path, fmt::format("unknown {} {}", kind_, in_quotes(name)), fix_);
    }

    void expect(const std::vector<std::string>& names, const Path& list) const
    {
        for (std::size_t i = 0; i < names.size(); ++i) expect(names[i], Path(list, i));
    }

private:
    std::string_view kind_;
    std::string fix_;
    KnownNames known_;
};

void check_agent_names(const std::vector<Agent>& agents, const Path& list, Problems& problems)
{
    std::vector<NamedAlias> names;
    names.reserve(agents.size());
    for (const Agent& agent : agents) names.push_back({agent.name, agent.alias ? *agent.alias : std::string_view()});
    check_names(names, list, problems);
}

bool is_whole_number(const json::value& value, int least)
{
    if (!value.is_number()) return false;
    const double number = value.to_number<double>();
    return number == std::trunc(number) && number >= least;
}

bool is_list_of_texts(const json::value& value)
{
    const auto* list = value.if_array();
    return list && !list->empty() && std::ranges::all_of(*list, [](const json::value& v) { return v.is_string(); });
}

bool is_share(const json::value& value)
{
    return value.is_number() && value.to_number<double>() > 0 && value.to_number<double>() <= 1;
}

bool are_phrases(const json::value& value)
{
    const auto* object = value.if_object();
    const auto* phrases = object ? object->if_contains("phrases") : nullptr;
    if (!phrases || !is_list_of_texts(*phrases)) return false;
    const auto* at = object->if_contains("at");
    return (!at || is_share(*at)) && object->size() == (at ? 2U : 1U);
}

/// The pattern's settings; null: something is wrong with them.
template <class T>
std::optional<T> read_config(const CollaborationPattern& pattern, const Path& path, Problems& problems)
{
    const std::size_t before = problems.count();
    T config;
    read_value(pattern.config, &config, type_of<T>(), path, problems, {});
    return problems.count() == before ? std::optional(std::move(config)) : std::nullopt;
}

void check_terms(const ConsensusConfig& terms, const CollaborationPattern& pattern, const Path& path,
                 Problems& problems)
{
    const Path weights(path, "weights");
    if (!terms.weights.empty() && terms.rule != VoteRule::weighted)
        problems.add(weights, "means something only for the rule weighted");
    for (const auto& [name, weight] : terms.weights)
        if (std::ranges::find(pattern.agents, name) == pattern.agents.end())
            problems.add(Path(weights, name), ProblemKind::unknown_name,
                         fmt::format("{} does not vote in this pattern{}", in_quotes(name),
                                     problems.suggestion(name, pattern.agents)));
    const double all = terms.weight_of(pattern.agents);
    if (all <= 0) problems.add(weights, "must not all be 0");
    else if (terms.quorum && *terms.quorum > all)
        problems.add(Path(path, "quorum"), fmt::format("cannot be reached: all votes together count {}", all));
    if (terms.otherwise == Undecided::coordinator && !pattern.coordination_agent)
        problems.add(Path(path, "otherwise"), "names a coordinator; add coordination_agent to the pattern");
}

}  // namespace

void check_team(const Team& team, const Path& path, Problems& problems)
{
    const Path agent_list(path, "agents"), tool_list(path, "tools"), handoff_list(path, "handoff_rules"),
        pattern_list(path, "collaboration_patterns"), policy_list(path, "guardrail_policies");
    check_agent_names(team.agents, agent_list, problems);
    check_distinct(names_of_all(team.tools), tool_list, "name", problems);
    check_distinct(names_of_all(team.collaboration_patterns), pattern_list, "name", problems);
    check_distinct(names_of_all(team.guardrail_policies), policy_list, "name", problems);

    const Names agents("agent", "agents", names_of_all(team.agents), agent_list, problems);
    const Names tools("tool", "tools", names_of_tools(team), tool_list, problems);
    const Names patterns("pattern", "collaboration_patterns", names_of_all(team.collaboration_patterns), pattern_list,
                         problems);
    const Names policies("policy", "guardrail_policies", names_of_all(team.guardrail_policies), policy_list, problems);
    for (std::size_t i = 0; i < team.agents.size(); ++i) {
        const Path here(agent_list, i);
        const Path granted(here, "tools");
        for (std::size_t j = 0; j < team.agents[i].tools.size(); ++j) {
            const std::string& name = team.agents[i].tools[j];
            if (name.find('.') == name.npos) tools.expect(name, Path(granted, j));  // else it is a server's: files.read
        }
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
        if (team.handoff_rules[i].from_agent == team.handoff_rules[i].to_agent)
            problems.add(Path(here, "to_agent"), "must be another agent than from_agent");
    }
    for (std::size_t i = 0; i < team.collaboration_patterns.size(); ++i) {
        const CollaborationPattern& pattern = team.collaboration_patterns[i];
        const Path here(pattern_list, i);
        agents.expect(pattern.agents, Path(here, "agents"));
        if (pattern.coordination_agent) agents.expect(*pattern.coordination_agent, Path(here, "coordination_agent"));
        if (!is_node_name(pattern.name))
            problems.add(Path(here, "name"),
                         "must begin with a letter or _, and have letters, digits, _ . - and at most "
                         "64 of them");
        if (pattern.name == kPlanning || pattern.name == kRouting)
            problems.add(Path(here, "name"), pattern.name + " is a pattern of every team; choose another name");
    }
    if (const auto& begins = team.execution_config.pattern; begins && *begins != kPlanning && *begins != kRouting) {
        const Path execution(path, "execution_config");
        patterns.expect(*begins, Path(execution, "pattern"));
    }
}

void check_pattern(const CollaborationPattern& pattern, const Path& path, Problems& problems)
{
    const Path config(path, "config");
    if (pattern.type == PatternType::hierarchical && !pattern.config.empty())
        problems.add(config, "must be empty: a hierarchical pattern has no settings");
    if (pattern.type == PatternType::parallel) read_config<ParallelConfig>(pattern, config, problems);
    if (pattern.type == PatternType::consensus)
        if (const auto terms = read_config<ConsensusConfig>(pattern, config, problems))
            check_terms(*terms, pattern, config, problems);
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
    case RuleKind::schema:
        if (!value.is_object()) wanted = "must be a JSON Schema";
        break;
    case RuleKind::injection:
        if (rule.value && !is_share(value)) wanted = "must be a number above 0 and up to 1, or left out for 0.5";
        break;
    case RuleKind::similar:
        if (!are_phrases(value)) wanted = "must be {phrases: [...], at: 0.8}: a list of texts, and how alike counts";
        break;
    case RuleKind::urls:
        if (!is_list_of_texts(value)) wanted = "must be a list of hosts";
        break;
    }
    if (wanted) problems.add(Path(path, "value"), wanted);
}

}  // namespace cadre::model
