// Which agents a request is for.
#pragma once

#include "base/async_fwd.hpp"
#include "model/decision.hpp"
#include "model/route_setup.hpp"
#include "patterns/route/catalogue.hpp"

#include <string>
#include <vector>

namespace cadre::engine {
class Run;
}

namespace cadre::patterns {

/// What was said in this task: the request, a question, its answer …
using SaidTurns = std::vector<std::string>;

/// By a model, by comparison without one, or by both, as the setup says. Where no agent can, it names the fallback, and `reasoning` says why.
Async<model::Decision> choose_agents(engine::Run& run, const model::RouteSetup& setup, std::vector<RoutedAgent> agents,
                                     SaidTurns turns);

}  // namespace cadre::patterns
