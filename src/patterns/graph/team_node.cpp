// Team nodes: several agents of the team work together on what the node is asked.
#include "patterns/graph/visit.hpp"

#include "base/error.hpp"
#include "patterns/team/collaborate.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::patterns {

using engine::Run;
using model::NodeWork;

namespace {

const model::CollaborationPattern& pattern_named(const Run& run, const std::string& name, const std::string& node)
{
    const auto& patterns = run.team().collaboration_patterns;
    const auto found = std::ranges::find(patterns, name, &model::CollaborationPattern::name);
    if (found == patterns.end())
        throw Error(Code::not_found, fmt::format("node '{}': the team {} has no collaboration pattern called {}", node,
                                                 run.team().name, in_quotes(name)));
    return *found;
}

/// What its agents hear before they begin.
Floor floor_for(const Run& run, const Visit& visit)
{
    Floor floor(task_for(run, visit), true);
    for (const Heard& one : context_of(visit)) {
        if (one.said->role == model::Role::user) floor.note(one.said->text);
        else floor.add({.agent = one.said->by.empty() ? std::string(one.node) : one.said->by, .text = one.said->text});
    }
    return floor;
}

}  // namespace

Async<NodeWork> work_together(Run& run, const Visit& visit)
{
    const model::CollaborationPattern& pattern =
        pattern_named(run, visit.def().pattern.value_or(""), visit.node().name);
    show_state(run, visit);
    const Floor floor = floor_for(run, visit);
    const Turn turn = co_await collaborate(run, pattern, floor);
    NodeWork work;
    work.update["current_agent"] = turn.agent;
    work.said.push_back({.by = turn.beside.empty() ? turn.agent : "", .text = whole_answer(turn)});
    co_return work;
}

}  // namespace cadre::patterns
