#include "patterns/team/next.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <set>

namespace cadre::patterns {

using model::HandoffType;

namespace {

bool leads_by_itself(const HandoffWay& way)
{
    return way.type == HandoffType::sequential && way.from != way.to;
}

/// Whether one comes from `from` to `to` along rules without a condition.
bool leads_back(const std::vector<HandoffWay>& ways, const std::string& from, const std::string& to)
{
    std::set<std::string> seen{from};
    std::vector<std::string> open{from};
    while (!open.empty()) {
        const std::string at = std::move(open.back());
        open.pop_back();
        if (at == to) return true;
        for (const HandoffWay& way : ways)
            if (way.from == at && !way.condition && leads_by_itself(way) && seen.insert(way.to).second)
                open.push_back(way.to);
    }
    return false;
}

bool is_true(const HandoffWay& way, const text::Scope& names)
{
    try {
        return way.condition->truth(names);
    } catch (const text::TemplateError& error) {
        throw Error(Code::invalid, way.place + ".condition: " + error.reason());
    }
}

}  // namespace

std::vector<HandoffWay> ways_of(const model::Team& team)
{
    std::vector<HandoffWay> ways;
    for (const model::HandoffRule& rule : team.handoff_rules) {
        HandoffWay way{.from = rule.from_agent,
                       .to = rule.to_agent,
                       .type = rule.handoff_type,
                       .place = "handoff_rules[" + std::to_string(ways.size()) + "]"};
        if (rule.condition) way.condition = text::Expression::parse(*rule.condition, way.place + ".condition");
        ways.push_back(std::move(way));
    }
    return ways;
}

std::optional<Handoff> next_after(const std::vector<HandoffWay>& ways, const Turn& turn, const MakeNames& names)
{
    if (turn.handoff) return turn.handoff;
    const auto is_candidate = [&](const HandoffWay& way) { return way.from == turn.agent && leads_by_itself(way); };
    std::optional<text::Scope> made;
    for (const HandoffWay& way : ways) {
        if (!is_candidate(way) || !way.condition) continue;
        if (!made) made = names();
        if (is_true(way, *made)) return Handoff{.to = way.to, .reason = "Because " + way.condition->spelling() + "."};
    }
    const auto is_plain = [&](const HandoffWay& way) { return is_candidate(way) && !way.condition; };
    const auto only = std::ranges::find_if(ways, is_plain);
    if (only == ways.end() || std::find_if(only + 1, ways.end(), is_plain) != ways.end()) return std::nullopt;
    if (leads_back(ways, only->to, turn.agent)) return std::nullopt;
    return Handoff{.to = only->to, .reason = turn.agent + " has finished."};
}

}  // namespace cadre::patterns
