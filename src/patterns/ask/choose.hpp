// Which domains a question is for.
#pragma once

#include "base/async_fwd.hpp"
#include "base/time.hpp"
#include "model/ask_setup.hpp"
#include "model/decision.hpp"

#include <string>

namespace cadre::engine {
class Run;
}

namespace cadre::patterns {

/// The agent of the task that decides, where a model does.
inline constexpr std::string_view kDomainRouter = "router";

/// By a model, by comparison without one, or by both, as the setup says. A model that cannot be used, or is not in time, is followed by
/// the comparison; where nobody could decide, the decision asks back and says why.
Async<model::Decision> choose_domains(engine::Run& run, const model::AskSetup& setup, Millis limit);

/// What is asked back: it names two domains that it may be about.
std::string clarifying_question(const model::Decision& decision, const model::AskSetup& setup);

}  // namespace cadre::patterns
