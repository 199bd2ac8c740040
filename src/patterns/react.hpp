// react: think, use tools, think again, until there is an answer.
#pragma once

#include "base/async_fwd.hpp"
#include "base/error.hpp"
#include "model/reply.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cadre::engine {
class Run;
struct Agent;
struct Step;
}  // namespace cadre::engine

namespace cadre::patterns {

/// Tool calls and what came of them, as text for others.
using Transcript = std::vector<std::string>;

/// The answer of an agent while it comes: perhaps in several steps, and with one chance to make it fit its schema.
class Answering {
public:
    /// The answer, from a step without calls; nothing: the agent is to be asked again, and `run` was told why. Throws
    /// Error(upstream) for a second answer that does not fit.
    std::optional<std::string> take(engine::Run& run, const engine::Agent& agent, const engine::Step& step);

private:
    std::string begun_;
    bool was_told_ = false;
};

/// Error(limit) that names max_iterations.
[[noreturn]] void throw_iterations_reached(const engine::Run& run, const engine::Agent& agent);

/// Throws Error(limit) after `max_iterations` model calls.
Async<model::Reply> react(engine::Run& run, const engine::Agent& agent);
/// The same with what `run` was told so far instead of the task's prompt. Its calls are added to `calls`.
Async<model::Reply> react_to_what_was_told(engine::Run& run, const engine::Agent& agent, Transcript* calls = nullptr);
/// The same with an answer that meets the JSON Schema. One that does not may be mended once; then Error(upstream). Where `asked_for` says
/// what the answer is, a failure says so, and whose it is.
Async<boost::json::value> answer_as(engine::Run& run, engine::Agent agent, std::string schema,
                                    std::string asked_for = "");

/// Whether the run itself has come to a limit, of steps or time: that is for the whole task, and not the failure of one agent.
bool is_limit_of_run(const Error& error);

}  // namespace cadre::patterns
