#include "patterns/react.hpp"

#include "engine/run.hpp"

namespace cadre::patterns {

using engine::Agent;
using engine::Run;
using engine::Step;

Async<model::Reply> react(Run& run, const Agent& agent)
{
    run.tell(run.prompt());
    return react_to_what_was_told(run, agent);
}

Async<model::Reply> react_to_what_was_told(Run& run, const Agent& agent)
{
    for (int i = 0; i < agent.max_iterations; ++i) {
        const Step step = co_await run.think(agent);
        if (step.calls.empty()) co_return run.reply(step.text);
        co_await run.use(agent, step.calls);
    }
    throw Error(Code::limit, "max_iterations (" + std::to_string(agent.max_iterations) + ") reached");
}

}  // namespace cadre::patterns
