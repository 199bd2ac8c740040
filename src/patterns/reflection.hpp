// reflection: a draft, a critic who approves it or says what must change, another draft; so many times.
#pragma once

#include "base/async_fwd.hpp"
#include "model/graph.hpp"
#include "patterns/react.hpp"

#include <string>

namespace cadre::engine {
class Run;
struct Agent;
}  // namespace cadre::engine

namespace cadre::patterns {

struct ReflectOptions {
    std::string task{};  // what the critic is told that the answer is to
    model::ReflectionLoop loop{};
};

/// The answer of `writer` to what `run` was told. Each draft is bounded by the writer's max_iterations. Throws Error(limit) when none
/// was approved, unless the loop carries on with the last.
Async<std::string> reflect(engine::Run& run, const engine::Agent& writer, const engine::Agent& critic,
                           ReflectOptions options, Transcript* calls = nullptr);

/// Whether a critic's words approve: their first or their last line begins so.
bool approves(std::string_view critique);

}  // namespace cadre::patterns
