#include "cli/graph/team_progress.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::cli;
using engine::NodeStatus;
using engine::Span;
using engine::SpanKind;
using engine::SpanStatus;

namespace {

Span span_of(SpanKind kind, const char* agent, const char* path, int begin, std::optional<int> end,
             SpanStatus status = SpanStatus::done)
{
    Span span{.kind = kind, .status = end ? status : SpanStatus::open, .path = path, .name = agent, .agent = agent};
    span.begin = Time(Millis(begin));
    if (end) span.end = Time(Millis(*end));
    return span;
}

std::vector<NodeStatus> statuses_of(std::vector<Span> spans, bool finished)
{
    const model::Team team{.agents = {{.name = "ann"}, {.name = "bob"}, {.name = "cal"}}};
    std::vector<NodeStatus> all;
    for (const auto& state : agent_states(team, {.spans = std::move(spans)}, finished)) all.push_back(state.status);
    return all;
}

using Statuses = std::vector<NodeStatus>;

}  // namespace

TEST_CASE("an agent is running while it works, done behind its turn, and never begins once the task has ended")
{
    using enum NodeStatus;
    const Span ann = span_of(SpanKind::step, "ann", "ann/think:1", 0, 5);
    const Span bob = span_of(SpanKind::step, "bob", "bob/think:1", 6, std::nullopt);
    CHECK(statuses_of({ann, bob}, false) == Statuses{done, running, pending});
    CHECK(statuses_of({ann}, true) == Statuses{done, skipped, skipped});
    CHECK(statuses_of({span_of(SpanKind::question, "ann", "ann/ask:1", 0, std::nullopt)}, false) ==
          Statuses{waiting, pending, pending});
}

TEST_CASE(
    "a call that failed is for its agent to deal with; a model that failed, or another task, is the agent's failure")
{
    using enum NodeStatus;
    const Span call = span_of(SpanKind::call, "ann", "ann/use:1.0", 5, 6, SpanStatus::failed);
    CHECK(statuses_of({span_of(SpanKind::step, "ann", "ann/think:1", 0, 5), call}, true)[0] == done);
    CHECK(statuses_of({span_of(SpanKind::step, "bob", "bob/think:1", 0, 5, SpanStatus::failed)}, true)[1] == failed);
    CHECK(statuses_of({span_of(SpanKind::delegate, "cal", "ann/delegate:1", 0, 5, SpanStatus::cancelled)}, true)[2] ==
          cancelled);
}

TEST_CASE("turns are counted where an agent had several, and a model call more in one is none")
{
    const model::Team team{.agents = {{.name = "ann"}, {.name = "bob"}}};
    const auto states = agent_states(team,
                                     {.spans = {span_of(SpanKind::step, "ann", "ann/think:1", 0, 5),
                                                span_of(SpanKind::step, "ann", "ann/2/think:1", 20, 30),
                                                span_of(SpanKind::step, "bob", "bob/think:1", 6, 10),
                                                span_of(SpanKind::step, "bob", "bob/think:2", 10, 19)}},
                                     true);
    CHECK(states[0].turns == 2);
    CHECK(states[1].turns == 0);
    CHECK(states[0].started == Time(Millis(0)));
    CHECK(states[0].ended == Time(Millis(30)));
}
