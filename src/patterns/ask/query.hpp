// One call of a domain's tool, polled until it has its result, within its time.
#pragma once

#include "base/async_fwd.hpp"
#include "base/time.hpp"
#include "model/call.hpp"
#include "patterns/ask/domain_tool.hpp"

#include <string>

namespace cadre::engine {
class Run;
}

namespace cadre::patterns {

struct DomainQuery {
    std::string domain{};
    DomainTool tool{};
    std::string question{};
    std::string conversation{};  // at the domain; empty: a new one
    Time until{};                // when all calls of the answer must have ended
    Millis limit{};              // of this one, within that
};

/// The agent of the task that calls tools of domains.
inline constexpr std::string_view kHands = "domains";

/// Its failure is what the call says. One whose time is over before it begins was not made, and is a timeout.
Async<model::Call> ask_domain(engine::Run& run, DomainQuery query);

}  // namespace cadre::patterns
