#include "patterns/team/names.hpp"

#include "engine/prompt_template.hpp"
#include "engine/run.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::patterns {

text::Scope names_after(const engine::Run& run, const Floor& floor, const Turn& turn)
{
    const model::Team& team = run.team();
    const auto agent = std::ranges::find(team.agents, turn.agent, &model::Agent::name);
    const std::string answer = whole_answer(turn);
    text::Scope names;
    names.set("task", text::Value::dict({{"id", to_string(run.task())},
                                         {"description", floor.task()},
                                         {"input", text::from_json(run.input())}}));
    names.set("agent", text::from_json(engine::names_of(agent == team.agents.end() ? model::Agent{} : *agent)));
    names.set("team", text::from_json(engine::names_of(team)));
    names.set("state", text::from_json(floor.state_after(turn)));
    names.set("answer", answer);
    names.set("last", answer);  // as in workflows
    return names;
}

}  // namespace cadre::patterns
