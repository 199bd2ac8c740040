// parallel: all agents of a pattern at the same time, meeting at sync points.
#include "base/json.hpp"
#include "engine/announce.hpp"
#include "engine/rendezvous.hpp"
#include "engine/run.hpp"
#include "model/pattern_config.hpp"
#include "model/read.hpp"
#include "patterns/team/collaborate.hpp"
#include "patterns/team/speak.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <exception>
#include <set>

namespace cadre::patterns {

using engine::Agent;
using engine::Fact;
using engine::Run;

namespace {

using Points = std::vector<std::string>;

/// Where everybody is. Who has failed is at every point: nobody waits for it.
struct Together {
    Together(Run& run, const std::vector<std::string>& names) : agents(names), meeting(run, names) {}

    bool is_at(const std::string& agent, const std::string& point) const
    {
        return failed.contains(agent) || arrived.contains({point, agent});
    }

    std::vector<std::string> agents;
    engine::Rendezvous<std::string> meeting;
    std::set<std::pair<std::string, std::string>> arrived{};  // point and agent
    std::set<std::string> failed{};
};

/// Says who is at the point, with this one, which may be there because it has failed. Those who wait at it go on only afterwards.
Async<> announce_arrival(Run& run, Together& together, std::string agent, std::string point,
                         std::optional<Error> failure = std::nullopt)
{
    const auto arrive = [&together, agent, point, has_failed = failure.has_value()] {
        if (has_failed) together.failed.insert(agent);
        else together.arrived.emplace(point, agent);
    };
    Fact fact{.what = "parallel_sync", .agent = agent, .key = point};
    if (failure) fact.events.emplace_back(failure_event(run, agent, *failure));
    co_await engine::announce_then(run, std::move(fact), [&together, &arrive, &point](Fact& now) {
        arrive();
        model::ParallelExecutionSyncEvent event{.sync_point = point};
        for (const std::string& one : together.agents)
            (together.is_at(one, point) ? event.completed_agents : event.waiting_agents).push_back(one);
        now.events.emplace_back(std::move(event));
    });
    arrive();  // it was on record
}

std::string next_point_text(const std::string& point)
{
    return "Others work on this at the same time, and you wait for each other at certain points. Now work up to the "
           "point " +
           in_quotes(point) + ", and answer with what you have come to.";
}

/// One agent, from point to point in one conversation. Who waits at a point has no seat.
Async<Turn> take_part(Run& run, Together& together, std::string name, const Points& points, Floor floor,
                      std::string& heading_for)
{
    const Agent& agent = run.agent(name);
    Turn turn;
    for (std::size_t i = 0; i < points.size(); ++i) {
        heading_for = points[i];
        if (i > 0) run.take_seat(agent, agent.max_parallel_tasks);
        turn = i == 0 ? co_await speak(run, agent, floor) : co_await speak_on(run, agent);
        run.give_seats_back();
        co_await announce_arrival(run, together, name, points[i]);
        co_await together.meeting.arrive(name, points[i], turn.text);
        if (i + 1 == points.size()) break;
        for (const auto& [other, said] : together.meeting.others(points[i], name)) run.tell("[" + other + "] " + said);
        run.tell(next_point_text(points[i + 1]));
    }
    co_return turn;
}

/// The same, where a failure is told to those who wait.
Async<Turn> take_part_or_leave(Run& run, Together& together, std::string name, const Points& points, const Floor& floor)
{
    const engine::Leaving leaving(together.meeting, name);
    std::string heading_for = points.front();
    std::exception_ptr failure;
    std::optional<Error> why;
    try {
        co_return co_await take_part(run, together, name, points, floor, heading_for);
    } catch (const Error& error) {
        failure = std::current_exception();
        why = error;
    }
    run.give_seats_back();
    co_await announce_arrival(run, together, name, heading_for, std::move(why));
    std::rethrow_exception(failure);
}

Floor with_results(Floor floor, const std::vector<std::string>& agents,
                   const std::vector<engine::Settled<Turn>>& results)
{
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i].is_done()) floor.add(*results[i].value);
        else floor.note("[" + agents[i] + "] failed: " + (results[i].error ? results[i].error->what() : "cancelled"));
    }
    floor.note("Make one answer to the task of what the others have come to.");
    return floor;
}

}  // namespace

Async<std::vector<Turn>> parallel(Run& run, const model::CollaborationPattern& pattern, const Floor& floor)
{
    const auto points = model::from_json<model::ParallelConfig>(pattern.config).sync_points;
    Fact begin{.what = "parallel_start", .key = pattern.name};
    begin.events.emplace_back(model::ParallelExecutionStartEvent{
        .agents = pattern.agents, .coordination_agent = pattern.coordination_agent, .sync_points = points});
    co_await run.announce(std::move(begin));

    Floor told = floor;
    if (points.size() > 1) told.note(next_point_text(points.front()));
    Together together(run, pattern.agents);
    const engine::MapOptions<std::string> by_name{.key = [](const std::string& name) { return name; }};
    const auto body = [&together, &points, &told](Run& branch, std::string name) {
        return take_part_or_leave(branch, together, std::move(name), points, told);
    };
    const auto results = co_await run.collect(pattern.agents, by_name, body);
    if (std::ranges::none_of(results, &engine::Settled<Turn>::is_done)) throw Error(results.front().error.value());

    std::vector<Turn> turns;
    if (pattern.coordination_agent) {
        const Agent& coordinator = run.agent(*pattern.coordination_agent);
        const Floor merged = with_results(floor, pattern.agents, results);
        turns.push_back(co_await run.node(
            "merge", [&coordinator, &merged](Run& inner) { return speak(inner, coordinator, merged); }));
        co_return turns;
    }
    for (const auto& result : results)
        if (result.is_done()) turns.push_back(*result.value);
    co_return turns;
}

}  // namespace cadre::patterns
