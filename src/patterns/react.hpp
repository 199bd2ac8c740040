// react: think, use tools, think again, until there is an answer.
#pragma once

#include "base/async_fwd.hpp"
#include "model/reply.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace cadre::engine {
class Run;
struct Agent;
}  // namespace cadre::engine

namespace cadre::patterns {

/// Tool calls and what came of them, as text for others.
using Transcript = std::vector<std::string>;

/// Throws Error(limit) after `max_iterations` model calls.
Async<model::Reply> react(engine::Run& run, const engine::Agent& agent);
/// The same with what `run` was told so far instead of the task's prompt. Its calls are added to `calls`.
Async<model::Reply> react_to_what_was_told(engine::Run& run, const engine::Agent& agent, Transcript* calls = nullptr);
/// The same with an answer that meets the JSON Schema. One that does not may be mended once; then Error(upstream).
Async<boost::json::value> answer_as(engine::Run& run, engine::Agent agent, std::string schema);

}  // namespace cadre::patterns
