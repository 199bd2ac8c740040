#include "cli/graph/team_progress.hpp"

#include "engine/effect_path.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace cadre::cli {
namespace {

using engine::NodeStatus;
using engine::Span;
using engine::SpanKind;
using engine::SpanStatus;

/// Whose work it is; empty: nobody's.
std::string worker_of(const Span& span)
{
    switch (span.kind) {
    case SpanKind::step:
    case SpanKind::delegate: return span.name;
    case SpanKind::call:
    case SpanKind::question: return span.agent;
    case SpanKind::task:
    case SpanKind::node:
    case SpanKind::sleep:
    case SpanKind::pause:
    case SpanKind::gap:
    case SpanKind::fact: break;
    }
    return "";
}

struct AgentWork {
    engine::NodeState state{};
    std::set<std::string, std::less<>> turns{};  // paths of their scopes
    bool works = false, waits = false;
    Time last{};
    SpanStatus how = SpanStatus::done;  // its last work ended

    void take(const Span& span)
    {
        if (!state.started || span.begin < *state.started) state.started = span.begin;
        if (span.kind == SpanKind::step || span.kind == SpanKind::delegate)
            turns.emplace(span.kind == SpanKind::step ? std::string(engine::outside(span.path)) : span.path);
        if (!span.end) {
            (span.kind == SpanKind::question ? waits : works) = true;
            return;
        }
        // a call that failed is told to its agent; only what a model or another task did not do counts
        if (*span.end < last || span.kind == SpanKind::call || span.kind == SpanKind::question) return;
        last = *span.end;
        how = span.status;
        state.error = span.error;
    }

    engine::NodeState result() const
    {
        engine::NodeState made = state;
        made.status = waits                          ? NodeStatus::waiting
                      : works                        ? NodeStatus::running
                      : how == SpanStatus::failed    ? NodeStatus::failed
                      : how == SpanStatus::cancelled ? NodeStatus::cancelled
                                                     : NodeStatus::done;
        if (!waits && !works) made.ended = last;
        if (made.status != NodeStatus::failed) made.error.clear();
        if (turns.size() > 1) made.turns = static_cast<int>(turns.size());
        return made;
    }
};

}  // namespace

std::vector<engine::NodeState> agent_states(const model::Team& team, const engine::Trace& trace, bool finished)
{
    std::map<std::string, AgentWork, std::less<>> works;
    for (const Span& span : trace.spans)
        if (const std::string worker = worker_of(span); !worker.empty()) works[worker].take(span);
    std::vector<engine::NodeState> states;
    for (const model::Agent& agent : team.agents) {
        const auto work = works.find(agent.name);
        if (work != works.end()) states.push_back(work->second.result());
        else states.push_back({.status = finished ? NodeStatus::skipped : NodeStatus::pending});
    }
    return states;
}

}  // namespace cadre::cli
