// react: think, use tools, think again, until there is an answer.
#pragma once

#include "base/async_fwd.hpp"
#include "model/reply.hpp"

namespace cadre::engine {
class Run;
struct Agent;
}  // namespace cadre::engine

namespace cadre::patterns {

/// Throws Error(limit) after `max_iterations` model calls.
Async<model::Reply> react(engine::Run& run, const engine::Agent& agent);
/// The same with what `run` was told so far instead of the task's prompt.
Async<model::Reply> react_to_what_was_told(engine::Run& run, const engine::Agent& agent);

}  // namespace cadre::patterns
