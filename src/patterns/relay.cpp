#include "patterns/relay.hpp"

#include "engine/run.hpp"
#include "patterns/react.hpp"

namespace cadre::patterns {

using engine::Agent;
using engine::Run;

namespace {

/// One turn: `before` is what the agent before it answered.
Async<std::string> turn(Run& run, const Agent& agent, std::string before)
{
    run.tell(run.prompt());
    if (!before.empty()) run.tell(before);
    co_return (co_await react_to_what_was_told(run, agent)).text;
}

}  // namespace

Async<model::Reply> relay(Run& run)
{
    std::string said;
    for (const Agent& agent : run.agents())
        said = co_await run.node(agent.name, [&agent, said](Run& inner) { return turn(inner, agent, said); });
    co_return run.reply(said);
}

}  // namespace cadre::patterns
