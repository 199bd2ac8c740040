#include "sim/teams.hpp"

#include "base/json.hpp"
#include "engine/plan_view.hpp"
#include "sim/chance.hpp"
#include "sim/world_tools.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

namespace cadre::sim {

namespace {

constexpr const char* kMembers[] = {"ada", "ben", "cyd"};
constexpr const char* kLeader = "lea";

std::vector<std::string> members()
{
    return {std::begin(kMembers), std::end(kMembers)};
}

// ---- tasks ----

model::CollaborationPattern some_pattern(TeamKind kind, Chance& chance)
{
    model::CollaborationPattern pattern{.name = "together", .agents = members()};
    if (kind == TeamKind::hierarchical) pattern.type = model::PatternType::hierarchical;
    if (kind == TeamKind::hierarchical || chance.one_in(2)) pattern.coordination_agent = kLeader;
    if (kind == TeamKind::parallel && chance.below(3) > 0) pattern.config["sync_points"] = {"half", "end"};
    if (kind != TeamKind::consensus) return pattern;
    constexpr const char* kRules[] = {"majority", "majority", "unanimous", "weighted"};
    const std::string rule = kRules[chance.below(std::size(kRules))];
    pattern.type = model::PatternType::consensus;
    pattern.config = {{"rule", rule}, {"rounds", 1 + chance.below(3)}, {"timeout", 3 + chance.below(40)}};
    if (rule == "weighted") pattern.config["weights"] = {{kMembers[0], 1 + chance.below(3)}, {kMembers[1], 0.5}};
    if (pattern.coordination_agent && chance.one_in(2)) pattern.config["otherwise"] = "coordinator";
    return pattern;
}

/// From everybody to some others.
std::vector<model::HandoffRule> some_rules(Chance& chance)
{
    constexpr model::HandoffType kTypes[] = {model::HandoffType::sequential, model::HandoffType::sequential,
                                             model::HandoffType::sequential, model::HandoffType::parallel,
                                             model::HandoffType::hierarchical};
    std::vector<model::HandoffRule> rules;
    for (const char* from : kMembers)
        for (const char* to : kMembers)
            if (from != to && chance.below(3) > 0)
                rules.push_back({.from_agent = from, .to_agent = to, .handoff_type = kTypes[chance.below(5)]});
    if (rules.empty()) rules.push_back({.from_agent = kMembers[0], .to_agent = kMembers[1]});
    return rules;
}

// ---- what is said ----

bool has_tool(const llm::Request& request, std::string_view name)
{
    return request.tools && std::ranges::find(*request.tools, name, &llm::ToolSpec::name) != request.tools->end();
}

model::ToolCall call_for(const char* tool, std::uint64_t salt)
{
    model::ToolCall call{.tool_name = tool};
    call.args["to"] = kMembers[salt % std::size(kMembers)];  // sometimes nobody lets them
    call.args[tool == std::string_view("handoff") ? "reason" : "task"] = fmt::format("part {}", salt % 1'000);
    return call;
}

std::string some_plan(std::uint64_t salt)
{
    Chance chance(salt, "plan of a team");
    boost::json::array items;
    for (std::uint64_t i = 0, count = 1 + chance.below(4); i < count; ++i) {
        boost::json::object item{{"id", fmt::format("i{}", i)},
                                 {"agent", kMembers[chance.below(std::size(kMembers))]},
                                 {"action", fmt::format("do {}", chance.below(1'000))}};
        boost::json::array before;
        for (std::uint64_t j = 0; j < i; ++j)
            if (chance.one_in(3)) before.emplace_back(fmt::format("i{}", j));
        item["depends_on"] = std::move(before);
        items.push_back(std::move(item));
    }
    return cadre::to_text(boost::json::object{{"tasks", std::move(items)}});
}

std::string some_vote(std::uint64_t salt, std::uint64_t choices)
{
    constexpr const char* kVotes[] = {"approve", "reject", "approve", "reject", "abstain"};
    return fmt::format(R"({{"vote":"{}","reasoning":"r{}"}})", kVotes[salt / 16 % choices], salt % 100);
}

/// Empty: nothing was asked for that has a form.
std::string formed_answer(std::uint64_t salt, const llm::Request& request)
{
    const std::string& schema = request.options.output_schema;
    const auto asks_for = [&](const char* name) { return schema.find(name) != schema.npos; };
    const auto is_ballot = [](const auto& message) {
        return message->text.find("\n\nVote on it.") != std::string::npos;
    };
    const bool votes = schema.empty() && std::ranges::any_of(request.messages, is_ballot);
    if (schema.empty() && !votes) return "";
    if (salt % 11 == 0) return "let me think";  // they are asked once more
    if (votes) return some_vote(salt, 5);
    if (asks_for("\"tasks\"")) return some_plan(salt);
    if (asks_for("\"decision\"")) return fmt::format(R"({{"decision":"d{}","reasoning":"r"}})", salt % 1'000);
    return asks_for("\"vote\"") ? some_vote(salt, 2) : "";
}

}  // namespace

TeamTask team_task(TeamKind kind, std::uint64_t number)
{
    Chance chance(number, "team");
    TeamTask task{.team = team_of_the_simulation(), .pattern = "team@1", .prompt = fmt::format("team {}", number)};
    std::vector<model::Agent> agents(std::size(kMembers) + 1, task.team.agents.front());
    for (std::size_t i = 0; i < std::size(kMembers); ++i) agents[i].name = kMembers[i];
    agents.back().name = kLeader;
    task.team.agents = std::move(agents);
    if (kind == TeamKind::plan) task.pattern = "plan@1";
    else if (kind == TeamKind::handoffs) task.team.handoff_rules = some_rules(chance);
    else task.team.collaboration_patterns = {some_pattern(kind, chance)};
    task.by_time = kind == TeamKind::consensus;  // who is too slow abstains
    return task;
}

std::optional<llm::Completion> team_answer(std::uint64_t salt, const llm::Request& request)
{
    if (request.agent != kLeader && std::ranges::find(kMembers, request.agent) == std::end(kMembers)) return {};
    llm::Completion completion;
    completion.text = formed_answer(salt, request);
    if (!completion.text.empty()) return completion;
    completion.text = fmt::format("t{}.", salt % 100'000);
    if (has_tool(request, "handoff") && salt % 5 < 2) completion.calls.push_back(call_for("handoff", salt / 5));
    if (has_tool(request, "delegate") && salt / 32 % 5 < 2)
        for (std::uint64_t i = 0; i < 1 + salt / 7 % 2; ++i)
            completion.calls.push_back(call_for("delegate", salt / 9 + i));
    if (!completion.calls.empty() || salt / 64 % 3 > 0) return completion;
    return std::nullopt;
}

boost::json::object some_edit(Chance& chance, std::span<const storage::Record> records, const std::string& new_item)
{
    const model::Plan plan = engine::plan_in(records);
    boost::json::array items, kept;
    for (const model::PlanItem& item : plan.items) {
        if (chance.one_in(2)) continue;
        boost::json::array before;
        for (const std::string& id : item.depends_on)
            if (std::ranges::find(kept, boost::json::value(id)) != kept.end() || chance.one_in(4))
                before.emplace_back(id);
        items.push_back({{"id", item.id}, {"agent", item.agent}, {"action", item.action}, {"depends_on", before}});
        kept.emplace_back(item.id);
    }
    boost::json::array before;
    if (!kept.empty() && chance.one_in(2)) before.push_back(kept[chance.below(kept.size())]);
    items.push_back({{"id", new_item}, {"agent", some_member(chance)}, {"action", "more"}, {"depends_on", before}});
    return {{"goal", plan.goal}, {"tasks", std::move(items)}};
}

std::string some_member(Chance& chance)
{
    return kMembers[chance.below(std::size(kMembers))];
}

}  // namespace cadre::sim
