#include "patterns/team/speak.hpp"

#include "engine/run.hpp"
#include "patterns/react.hpp"

namespace cadre::patterns {

using engine::Agent;
using engine::Run;

Async<Turn> speak(Run& run, const Agent& agent, const Floor& floor)
{
    run.take_seat(agent, agent.max_parallel_tasks);
    floor.tell(run, agent);
    return speak_on(run, agent);
}

Async<Turn> speak_on(Run& run, const Agent& agent)
{
    co_return Turn{.agent = agent.name, .text = (co_await react_to_what_was_told(run, agent)).text};
}

}  // namespace cadre::patterns
