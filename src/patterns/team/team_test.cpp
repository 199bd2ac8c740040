#include "patterns/team/team.hpp"

#include "model/write.hpp"
#include "patterns/team/team_fixture.hpp"
#include "text/template_names.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns::testing;

namespace {

constexpr const char* kCircle = R"({"handoff_rules":[
    {"from_agent":"worker","to_agent":"reviewer"}, {"from_agent":"reviewer","to_agent":"worker"}]})";

}  // namespace

TEST_CASE("team: an agent hands over, the other one hears who, why and what, and its answer is the reply")
{
    Teamwork world(kCircle, [](const llm::Request& request) {
        if (request.agent == "worker")
            return calls_of({{"handoff", R"({"to":"reviewer","reason":"The draft is done.","context":{"words":3}})"}},
                            "A draft.");
        return says("Good.");
    });
    CHECK(world.play_out() == "Good.");
    CHECK(world.speakers() == "worker reviewer");
    CHECK(Teamwork::heard(world.model->requests.back()) ==
          std::vector<std::string>{"Go.", "[worker] A draft.",
                                   "[worker] hands over to you: The draft is done.\n{\"words\":3}"});
    CHECK(world.event_types() == std::vector<std::string>{"event_task_start", "event_agent_start",
                                                          "event_agent_complete", "event_agent_handoff",
                                                          "event_agent_start", "event_agent_complete",
                                                          "event_task_complete"});
    CHECK(world.wait(world.commands->replay(kAnn, world.last)).diverged == "");
}

TEST_CASE("team: a chain of rules without conditions runs through, a circle of them is the agents' own decision")
{
    const auto say = [](const llm::Request& request) { return says(request.agent + " is done"); };
    Teamwork chain(R"({"handoff_rules":[{"from_agent":"worker","to_agent":"writer"},
        {"from_agent":"writer","to_agent":"reviewer"}]})",
                   say);
    CHECK(chain.play_out() == "reviewer is done");
    CHECK(chain.speakers() == "worker writer reviewer");

    Teamwork circle(kCircle, say);
    CHECK(circle.play_out() == "worker is done");
}

TEST_CASE("team case 1: two agents who hand over for ever are stopped at the cap, and both are named")
{
    Teamwork world(kCircle, [](const llm::Request& request) {
        return hands_over(request.agent == "worker" ? "reviewer" : "worker");
    });
    world.play_out();
    CHECK(world.state(world.last).error.find("20 handoffs, and worker would hand over to reviewer again") !=
          std::string::npos);
    CHECK(world.model->requests.size() == 21);
    const auto types = world.event_types();
    CHECK(std::ranges::count(types, "event_agent_handoff") == 20);
    CHECK(world.state(world.last).error_code == "limit");
    CHECK(world.wait(world.commands->replay(kAnn, world.last)).diverged == "");
}

TEST_CASE("team: a run of handoffs, tools and refusals ends the same wherever its process dies")
{
    const auto speak = [](const llm::Request& request) {
        const bool has_begun = request.messages.back()->role == model::Role::tool;
        if (request.agent == "worker" && request.messages.size() == 1)
            return calls_of({{"pay", R"({"n":1})"}, {"handoff", R"({"to":"tester","reason":"Why not?"})"}}, "First.");
        if (request.agent == "worker" && has_begun) return hands_over("reviewer", "Look.", "A draft.");
        if (request.agent == "reviewer" && !has_begun) return calls_of({{"pay", R"({"n":2})"}});
        if (request.agent == "reviewer" && request.nth == 2) return hands_over("worker", "Better.");
        return says("Done by " + request.agent);
    };
    check_cuts(patterns::team, "Done by worker", true, prepared(kCircle, speak));
}

TEST_CASE("team case 9: of two next agents that are given between two turns the last counts, and both are on record")
{
    Teamwork world(kCircle, [](const llm::Request& request) {
        return request.agent == "worker" && request.messages.back()->role != model::Role::tool
                   ? calls_of({{"pay", R"({"n":1})"}})
                   : says(request.agent + " says so");
    });
    world.pay->takes = Millis(1000);
    const Id id = world.begin_team();
    world.wait(sleep_for(Millis(500)));  // the worker's tool is at work
    for (const char* name : {"writer", "tester"})
        world.wait(world.commands->intervene(
            kAnn, id, {.type = model::InterventionType::agent_override, .details = {{"next_agent", name}}}));
    CHECK(ending(world.finish(id)) == "tester says so");
    CHECK(world.speakers() == "worker worker tester");
    world.last = id;
    const auto types = world.event_types();
    CHECK(std::ranges::count(types, "event_user_intervention") == 2);
    CHECK(std::ranges::count(types, "event_agent_handoff") == 1);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("team: conditions know every name that check knows")
{
    Teamwork world(R"({"handoff_rules":[{"from_agent":"worker","to_agent":"writer","condition":
        "task.id and task.description == 'Go.' and task.input is defined and agent.name == 'worker' and agent.role and agent.display_name and agent.tools == ['pay'] and team.name == 'team' and team.description == '' and team.agents|length == 4 and state.turns == 1 and state.handoffs == 0 and state.current_agent == 'worker' and state.answers.worker == answer and answer == 'Draft.' and last == answer"}]})",
                   [](const llm::Request& request) { return says(request.agent == "worker" ? "Draft." : "Known."); });
    CHECK(world.play_out() == "Known.");
    std::vector<std::string> known;
    for (const text::KnownName& name : text::turn_names()) known.emplace_back(name.name);
    CHECK(known == std::vector<std::string>{"task", "agent", "team", "state", "answer", "last"});
}

TEST_CASE("team: what a handoff passes on is part of the state for conditions")
{
    Teamwork world(R"({"handoff_rules":[{"from_agent":"worker","to_agent":"reviewer"},
        {"from_agent":"reviewer","to_agent":"tester","condition":"state.score > 7"}]})",
                   [](const llm::Request& request) {
                       if (request.agent == "worker")
                           return calls_of(
                               {{"handoff", R"({"to":"reviewer","reason":"Done.","context":{"score":8}})"}});
                       return says(request.agent);
                   });
    CHECK(world.play_out() == "tester");
}

TEST_CASE("team: a changed plan is told, and a changed team counts from the next turn on")
{
    Teamwork world(R"({"handoff_rules":[{"from_agent":"worker","to_agent":"reviewer"}]})",
                   [](const llm::Request& request) {
                       if (request.agent == "worker" && request.messages.back()->role != model::Role::tool)
                           return calls_of({{"pay", R"({"n":1})"}});
                       return says(request.instructions + request.messages.back()->text);
                   });
    world.pay->takes = Millis(1000);
    const Id id = world.begin_team();
    world.wait(sleep_for(Millis(500)));
    using Type = model::InterventionType;
    world.wait(
        world.commands->intervene(kAnn, id, {.type = Type::plan_update, .details = {{"plan", {{"first", "plums"}}}}}));
    model::Team other = *world.team;
    other.agents[2].prompt = "You are new. ";
    other.tools.push_back(world.pay->definition());
    world.wait(world.commands->intervene(
        kAnn, id, {.type = Type::team_modification, .details = {{"team", parse_json(model::to_json_text(other))}}}));
    const std::string end = ending(world.finish(id));
    CHECK(end.find("You are new. ") == 0);
    CHECK(Teamwork::heard(world.model->requests.back())[1].find("plums") != std::string::npos);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}
