// hierarchical: one agent delegates to the others, and answers.
#include "engine/run.hpp"
#include "patterns/team/collaborate.hpp"
#include "patterns/team/controls.hpp"
#include "patterns/team/speak.hpp"

#include "base/error.hpp"

namespace cadre::patterns {

using engine::Run;

Async<Turn> hierarchical(Run& run, const model::CollaborationPattern& pattern, const Floor& floor)
{
    if (pattern.agents.empty()) throw Error(Code::invalid, "the pattern " + in_quotes(pattern.name) + " has no agents");
    const std::string name = pattern.coordination_agent.value_or(pattern.agents.front());
    const Member member = coordinator_of(pattern, run.agent(name));
    co_return co_await run.node(name, [&](Run& at) { return speak(at, member, floor); });
}

}  // namespace cadre::patterns
