// speak: one turn of an agent of a team.
#pragma once

#include "base/async_fwd.hpp"
#include "base/error.hpp"
#include "model/control_events.hpp"
#include "patterns/team/floor.hpp"

namespace cadre::patterns {

struct Member;

/// The agent takes a seat, hears the floor, thinks and uses tools until it has an answer. `run` is a scope of its own.
/// Throws Error(limit) after `max_iterations` model calls.
Async<Turn> speak(engine::Run& run, const engine::Agent& agent, const Floor& floor);
/// The same in a conversation that has begun: what `run` was told stays, and nothing is told.
Async<Turn> speak_on(engine::Run& run, const engine::Agent& agent);
/// The same with the tools of the team: until it has an answer or hands over. Of one step, the agent's own calls come first, then those
/// whom it waits for, then patterns; then those begin that work beside it. Member and floor outlive it.
Async<Turn> speak(engine::Run& run, const Member& member, const Floor& floor);

/// What is said of a handoff that is made, and the end of its call, if it has one.
Async<> announce_handoff(engine::Run& run, std::string from, Handoff handoff);

/// What is said of an agent that has failed while the task continues.
model::ErrorEvent failure_event(const engine::Run& run, const std::string& agent, const Error& error);

}  // namespace cadre::patterns
