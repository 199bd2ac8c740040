// The answer, made of what domains said: by a model, and without one. Plain functions but for the one that asks it.
#pragma once

#include "base/async_fwd.hpp"
#include "model/ask_setup.hpp"
#include "model/decision.hpp"
#include "model/reply.hpp"

#include <boost/json/fwd.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {
class Run;
}

namespace cadre::patterns {

/// The agent of the task that answers, where a model does.
inline constexpr std::string_view kAnalyst = "analyst";

struct Draft {
    std::string answer{};
    std::vector<std::string> suggestions{};
};

/// Titles and extracts, and what is missing.
Draft assembled(std::span<const model::Call> calls, const model::Decision& decision, const model::AskSetup& setup);

/// The same by a model, in one call; the assembled one where its answer cannot be used. Without `suggests`, it is not asked for suggestions.
Async<Draft> synthesised(engine::Run& run, std::span<const model::Call> calls, const model::Decision& decision,
                         const model::AskSetup& setup, bool suggests);

/// What is missing, as a sentence of its own; empty: nothing.
std::string missing_text(std::span<const model::Call> calls, const model::AskSetup& setup);

/// Domains that are related to those that were asked, can be asked, and were not.
std::vector<const model::domains::Domain*> related_to(const model::Decision& decision, const model::AskSetup& setup);
/// Of what a model suggests, as [{domain, text}]: at most three, each about one of `related`, none that repeats the question or another.
std::vector<std::string> kept_suggestions(const boost::json::array& said,
                                          std::span<const model::domains::Domain* const> related,
                                          std::string_view question);

}  // namespace cadre::patterns
