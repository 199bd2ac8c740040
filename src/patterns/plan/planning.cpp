#include "patterns/plan/planning.hpp"

#include "base/json.hpp"
#include "engine/plan_edit.hpp"
#include "engine/run.hpp"
#include "patterns/react.hpp"
#include "patterns/team/floor.hpp"

#include <boost/json.hpp>

namespace cadre::patterns {

using engine::Agent;
using engine::Run;

namespace {

/// What of a plan can be said by a schema. With one agent nobody needs to be named.
std::string plan_schema(std::span<const std::string> agents)
{
    const boost::json::value text{{"type", "string"}, {"minLength", 1}};
    boost::json::array required{"id", "action"};
    if (agents.size() > 1) required.push_back("agent");
    const boost::json::object item{
        {"type", "object"},
        {"required", std::move(required)},
        {"additionalProperties", false},
        {"properties",
         {{"id", text},
          {"agent", {{"type", "string"}, {"enum", boost::json::array(agents.begin(), agents.end())}}},
          {"action", text},
          {"parameters", {{"type", "object"}}},
          {"depends_on", {{"type", "array"}, {"items", text}}}}}};
    return to_text(
        boost::json::object{{"type", "object"},
                            {"required", boost::json::array{"tasks"}},
                            {"additionalProperties", false},
                            {"properties",
                             {{"goal", {{"type", "string"}}},
                              {"tasks", {{"type", "array"}, {"maxItems", engine::kMostPlanItems}, {"items", item}}}}}});
}

std::string how_to_plan(const Run& run)
{
    std::string text =
        "Do not work on this yet. First make a plan for it: the items of work, who does each, and what must be done "
        "before it. Items that do not depend on each other are done at the same time. Whoever works on an item is told "
        "the goal, the item, and the results of the items that it depends on, and nothing else. In the end you get all "
        "results and answer.\n\nAnswer with JSON alone:\n"
        R"({"goal": "...", "tasks": [{"id": "...", "agent": "...", "action": "what to do", "parameters": {}, )"
        R"("depends_on": ["id"]}]})"
        "\nAn id is a short word that no other item has. At most " +
        std::to_string(engine::kMostPlanItems) + " items; none, if you can answer right away.\n\nAgents:";
    for (const model::Agent& agent : run.team().agents) text += "\n- " + agent.name + ": " + agent.role;
    return text;
}

/// What a planner need not say is added.
boost::json::value completed(boost::json::value plan, const Run& run)
{
    auto& members = plan.as_object();
    const auto* goal = members.if_contains("goal");
    if (!goal || goal->as_string().empty()) members["goal"] = run.prompt();
    for (auto& item : members.at("tasks").as_array())
        if (!item.as_object().contains("agent")) item.as_object()["agent"] = run.agents().front().name;
    return plan;
}

}  // namespace

Async<model::Plan> make_plan(Run& run)
{
    const Agent planner = run.agent();
    std::vector<std::string> agents;
    for (const Agent& agent : run.agents()) agents.push_back(agent.name);
    const std::string schema = plan_schema(agents);
    Floor(run).tell(run, planner);
    run.tell(how_to_plan(run));
    for (bool is_last = false;; is_last = true) {
        const boost::json::value said = co_await answer_as(run, planner, schema);
        std::string problems;
        try {
            co_return engine::read_plan(completed(said, run), agents);
        } catch (const Error& error) {
            problems = error.what();
        }
        if (is_last) throw Error(Code::upstream, "the plan of " + in_quotes(planner.name) + " cannot be: " + problems);
        run.tell("This plan cannot be carried out. Answer with the whole plan again, as JSON alone, without these "
                 "problems:\n" +
                 problems);
    }
}

}  // namespace cadre::patterns
