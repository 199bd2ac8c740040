// The chosen agents at work: attempts, limits, one after the other or at once.
#pragma once

#include "base/async_fwd.hpp"
#include "model/route_setup.hpp"
#include "model/views/orchestration_route.hpp"
#include "patterns/route/choose_agents.hpp"

#include <string>
#include <vector>

namespace cadre::engine {
class Run;
}

namespace cadre::patterns {

/// What an agent hears beside what was said.
struct RoutedWork {
    std::string agent{};  // its name
    std::string alias{};
    SaidTurns turns{};
    std::vector<std::string> more{};  // answers of others, or why it is asked
};

/// Its failure is what the reply says. A passing one is tried again as the settings say, one that took too long is not. Announced.
Async<model::orchestration::AgentReplyView> execute_agent(engine::Run& run, RoutedWork work,
                                                          model::orchestration::AgentExecutorWrapperOptions options);

/// All of them, replies in the order of the list.
Async<std::vector<model::orchestration::AgentReplyView>> dispatch_all(engine::Run& run, std::vector<RoutedWork> works,
                                                                      model::orchestration::AppSettings settings);

}  // namespace cadre::patterns
