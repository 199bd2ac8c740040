#include "patterns/team/controls.hpp"

#include "base/error.hpp"
#include "base/json.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::patterns {

using engine::Agent;
using model::HandoffType;

namespace {

/// Of a task, a reason or a context: what others are told is bounded.
constexpr std::size_t kLongestMessage = std::size_t{64} << 10;

bool is_below(const HandoffWay& way)
{
    return way.type == HandoffType::hierarchical;
}

void add_once(std::vector<std::string>& names, const std::string& name)
{
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

json::object words_schema(std::string_view description)
{
    return {{"type", "string"}, {"description", description}};
}

json::object choice_schema(std::string_view description, const std::vector<std::string>& names)
{
    json::object schema = words_schema(description);
    schema["enum"] = json::value_from(names);
    return schema;
}

llm::ToolSpec control_spec(std::string_view name, std::string description, json::object properties,
                           json::array required)
{
    const json::object schema{{"type", "object"},
                              {"properties", std::move(properties)},
                              {"required", std::move(required)},
                              {"additionalProperties", false}};
    return {std::string(name), std::move(description), to_canonical_text(json::value(schema))};
}

llm::ToolSpec handoff_spec(const std::vector<HandoffWay>& ways)
{
    std::vector<std::string> names;
    std::vector<std::string> beside;
    for (const HandoffWay& way : ways) {
        if (is_below(way)) continue;
        add_once(names, way.to);
        if (way.type == HandoffType::parallel) add_once(beside, way.to);
    }
    std::string description = "Hands the task over to another agent of the team, who hears what was said so far.";
    if (beside.size() < names.size()) description += " Your turn ends with it.";
    if (!beside.empty())
        description +=
            fmt::format(" {} works at the same time as you: carry on with your own part.", fmt::join(beside, ", "));
    return control_spec(kHandoff, std::move(description),
                        {{"to", choice_schema("Who is to carry on.", names)},
                         {"reason", words_schema("Why, in a sentence or two: it is told to them.")},
                         {"context", {{"type", "object"}, {"description", "Facts that they need besides."}}}},
                        {"to", "reason"});
}

llm::ToolSpec delegate_spec(const std::vector<HandoffWay>& ways)
{
    std::vector<std::string> names;
    for (const HandoffWay& way : ways)
        if (is_below(way)) add_once(names, way.to);
    return control_spec(
        kDelegate,
        "Has another agent do a part of the work, and gives you its answer. The agent knows nothing but the task that "
        "you give it. Several calls at once are worked on at the same time.",
        {{"to", choice_schema("Who is to do it.", names)}, {"task", words_schema("All that the agent needs to know.")}},
        {"to", "task"});
}

llm::ToolSpec collaborate_spec(const std::vector<model::CollaborationPattern>& patterns)
{
    std::vector<std::string> names;
    std::string description = "Has several agents work on something together, and gives you what they come to.";
    for (const model::CollaborationPattern& pattern : patterns) {
        names.push_back(pattern.name);
        const char* how = pattern.type == model::PatternType::consensus      ? "decide together"
                          : pattern.type == model::PatternType::hierarchical ? "one of them delegates to the others"
                                                                             : "work at the same time";
        description += fmt::format(" {}: {} {}.", pattern.name, fmt::join(pattern.agents, ", "), how);
    }
    return control_spec(
        kCollaborate, std::move(description),
        {{"pattern", choice_schema("How.", names)}, {"task", words_schema("All that they need to know.")}},
        {"pattern", "task"});
}

void add_specs(Member& member)
{
    std::vector<llm::ToolSpec> added;
    if (!std::ranges::all_of(member.ways, is_below)) added.push_back(handoff_spec(member.ways));
    if (std::ranges::any_of(member.ways, is_below)) added.push_back(delegate_spec(member.ways));
    if (!member.patterns.empty()) added.push_back(collaborate_spec(member.patterns));
    if (added.empty()) return;
    auto specs = std::make_shared<std::vector<llm::ToolSpec>>(*member.agent.tool_specs);
    for (llm::ToolSpec& one : added) {
        if (std::ranges::find(member.agent.tools, one.name) != member.agent.tools.end())
            throw Error(Code::invalid,
                        fmt::format("agent {} has a tool called {}, which is the name of a tool of every "
                                    "team; give it another name",
                                    in_quotes(member.agent.name), in_quotes(one.name)));
        specs->push_back(std::move(one));
    }
    member.agent.tool_specs = std::move(specs);
    engine::digest(member.agent);
}

// ---- calls ----

/// Sorts one step.
class Sorting {
public:
    Sorting(const Member& member, const MakeNames& names) : member_(member), names_(names) {}

    void take(const model::ToolCall& call)
    {
        const std::string why_not = call.tool_name == kHandoff       ? hand_over(call)
                                    : call.tool_name == kDelegate    ? delegate(call)
                                    : call.tool_name == kCollaborate ? begin_pattern(call)
                                                                     : "";
        const bool is_own = call.tool_name != kHandoff && call.tool_name != kDelegate && call.tool_name != kCollaborate;
        if (!why_not.empty()) result.refused.emplace(call.id, why_not);
        if (is_own || !why_not.empty()) result.tools.push_back(call);
    }

    Sorted result;

private:
    /// The member's text; `why_not` says what is wrong with it.
    static std::string text_in(const model::ToolCall& call, std::string_view name, bool must, std::string& why_not)
    {
        const json::value* value = call.args.if_contains(name);
        if (!value || (value->is_string() && value->get_string().empty())) {
            if (must && why_not.empty())
                why_not = fmt::format("The argument {} of {} is missing.", name, call.tool_name);
            return "";
        }
        if (!value->is_string() || value->get_string().size() > kLongestMessage) {
            if (why_not.empty())
                why_not = fmt::format("The argument {} of {} must be a text of at most {} KiB.", name, call.tool_name,
                                      kLongestMessage >> 10);
            return "";
        }
        return std::string(value->get_string());
    }

    static json::object context_in(const model::ToolCall& call, std::string& why_not)
    {
        const json::value* value = call.args.if_contains("context");
        if (!value || value->is_null()) return {};
        if (value->is_object() && to_text(*value).size() <= kLongestMessage) return value->get_object();
        if (why_not.empty())
            why_not = fmt::format("The argument context of {} must be an object of at most {} KiB.", call.tool_name,
                                  kLongestMessage >> 10);
        return {};
    }

    const text::Scope& scope()
    {
        if (!scope_) scope_ = names_();
        return *scope_;
    }

    /// Empty: it may be followed now.
    std::string problem_with(const HandoffWay& way)
    {
        if (!way.condition) return "";
        try {
            return way.condition->truth(scope()) ? "" : "only when " + way.condition->spelling();
        } catch (const text::TemplateError& error) {
            return fmt::format("only when {}, which cannot be told: {}", way.condition->spelling(), error.reason());
        }
    }

    /// The rule that allows it; null: none does, and `why_not` says whom the agent may ask instead.
    const HandoffWay* allowed_way(const model::ToolCall& call, const std::string& to, bool only_below,
                                  std::string& why_not)
    {
        if (!why_not.empty()) return nullptr;
        if (to == member_.agent.name) why_not = fmt::format("You are {} yourself", to);
        std::vector<std::string> others;
        for (const HandoffWay& way : member_.ways) {
            if (only_below && !is_below(way)) continue;
            const std::string problem = problem_with(way);
            if (way.to == to && problem.empty()) {
                why_not.clear();
                return &way;
            }
            if (way.to == to) why_not = fmt::format("You may ask {} {}", to, problem);
            else if (problem.empty()) add_once(others, way.to);
        }
        if (why_not.empty()) why_not = fmt::format("No rule of the team lets you ask {}", in_quotes(to));
        why_not += others.empty()
                       ? fmt::format("; now you may call {} for nobody.", call.tool_name)
                       : fmt::format("; now you may call {} for: {}.", call.tool_name, fmt::join(others, ", "));
        return nullptr;
    }

    std::string hand_over(const model::ToolCall& call)
    {
        std::string why_not;
        Handoff handoff{.call = call.id, .to = text_in(call, "to", true, why_not)};
        handoff.reason = text_in(call, "reason", false, why_not);
        handoff.context = context_in(call, why_not);
        const HandoffWay* way = allowed_way(call, handoff.to, false, why_not);
        if (!way) return why_not;
        handoff.type = way->type;
        switch (way->type) {
        case HandoffType::hierarchical: {
            std::string task = handoff.reason;
            if (!handoff.context.empty()) task += (task.empty() ? "" : "\n") + to_text(handoff.context);
            if (task.empty()) return "Say in reason what is to be done.";
            result.below.push_back({call.id, handoff.to, std::move(task), handoff.reason, handoff.context});
            return "";
        }
        case HandoffType::parallel:
            if (std::ranges::find(result.beside, handoff.to, &Handoff::to) != result.beside.end())
                return handoff.to + " was asked in this step already.";
            result.beside.push_back(std::move(handoff));
            return "";
        case HandoffType::sequential: break;
        }
        if (result.handoff) return "You have handed over to " + result.handoff->to + " in this step already.";
        result.handoff = std::move(handoff);
        return "";
    }

    std::string delegate(const model::ToolCall& call)
    {
        std::string why_not;
        Errand errand{.call = call.id, .to = text_in(call, "to", true, why_not)};
        errand.task = text_in(call, "task", true, why_not);
        if (!allowed_way(call, errand.to, true, why_not)) return why_not;
        errand.reason = errand.task;
        result.below.push_back(std::move(errand));
        return "";
    }

    std::string begin_pattern(const model::ToolCall& call)
    {
        std::string why_not;
        Errand errand{.call = call.id, .to = text_in(call, "pattern", true, why_not)};
        errand.task = text_in(call, "task", true, why_not);
        if (!why_not.empty()) return why_not;
        std::vector<std::string> names;
        for (const model::CollaborationPattern& pattern : member_.patterns) names.push_back(pattern.name);
        if (std::ranges::find(names, errand.to) == names.end())
            return names.empty() ? "You may begin no pattern."
                                 : fmt::format("You may not begin {}; you may begin: {}.", in_quotes(errand.to),
                                               fmt::join(names, ", "));
        result.patterns.push_back(std::move(errand));
        return "";
    }

    const Member& member_;
    const MakeNames& names_;
    std::optional<text::Scope> scope_;
};

}  // namespace

Member member_of(const model::Team& team, const std::vector<HandoffWay>& ways, const Agent& agent, Reach reach)
{
    Member member{.agent = agent};
    for (const HandoffWay& way : ways)
        if (way.from == agent.name && way.to != agent.name && (reach == Reach::everybody || is_below(way)))
            member.ways.push_back(way);
    const auto of = std::ranges::find(team.agents, agent.name, &model::Agent::name);
    if (reach == Reach::everybody && of != team.agents.end())
        for (const model::CollaborationPattern& pattern : team.collaboration_patterns)
            if (std::ranges::find(of->collaboration_patterns, pattern.name) != of->collaboration_patterns.end())
                member.patterns.push_back(pattern);
    add_specs(member);
    return member;
}

Member coordinator_of(const model::CollaborationPattern& pattern, const Agent& agent)
{
    Member member{.agent = agent};
    for (const std::string& name : pattern.agents)
        if (name != agent.name) member.ways.push_back({agent.name, name, HandoffType::hierarchical, {}, pattern.name});
    add_specs(member);
    return member;
}

Sorted sorted(const Member& member, const std::vector<model::ToolCall>& calls, const MakeNames& names)
{
    Sorting sorting(member, names);
    for (const model::ToolCall& call : calls) sorting.take(call);
    return std::move(sorting.result);
}

}  // namespace cadre::patterns
