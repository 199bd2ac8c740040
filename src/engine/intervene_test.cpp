#include "engine/test_world.hpp"
#include "model/write.hpp"

#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using model::InterventionType;
using model::TaskStatus;
using test::error_of;

namespace {

/// Asks twice, and says after each answer what it heard.
struct Listening : World {
    Listening()
    {
        team = team_of({});
        team->agents.push_back({.name = "helper", .role = "helps", .prompt = "You help."});
        patterns.add({"listen@1", [](Run& run) -> Async<model::Reply> {
                          std::string text;
                          const Agent& before = run.agent();
                          for (int i = 0; i < 2; ++i) {
                              co_await run.ask({.context = {{"question", "Go?"}}});
                              const Heard heard = co_await run.heed();
                              if (heard.plan) text += "plan " + to_text(*heard.plan) + ";";
                              if (!heard.next_agent.empty()) text += "next " + heard.next_agent + ";";
                              if (heard.is_team_changed)
                                  text += before.instructions + " -> " + run.agent().instructions + ";";
                          }
                          co_await run.announce(
                              {.what = "vote",
                               .key = "1",
                               .fact = {{"for", "plum"}},
                               .events = {model::AgentHandoffEvent{.from_agent = "worker", .to_agent = "helper"}}});
                          co_return run.reply(text);
                      }});
    }
    void change(Id id, InterventionType type, boost::json::object details)
    {
        wait(commands->intervene(kAnn, id, {.type = type, .details = std::move(details)}));
    }
    void approve(Id id) { wait(commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve})); }
    std::vector<boost::json::object> events(Id id, std::string_view type)
    {
        std::vector<boost::json::object> found;
        for (const auto& record : records(id)) {
            for (const std::string& json : events_of(record))
                if (auto event = boost::json::parse(json).as_object(); event.at("type").as_string() == type)
                    found.push_back(std::move(event));
        }
        return found;
    }
};

}  // namespace

TEST_CASE("a changed plan, agent and team are heard once, over restarts, and in a replay and a fork")
{
    Listening world;
    const Id id = world.begin("listen@1", {.agent = "worker"});
    world.rest(id);
    world.change(id, InterventionType::plan_update, {{"plan", {{"tasks", {"b", "a"}}}}});
    world.change(id, InterventionType::agent_override, {{"next_agent", "helper"}});
    world.restart();
    model::Team changed = *world.team;
    changed.agents[0].prompt = "You work slowly.";
    world.change(id, InterventionType::team_modification, {{"team", parse_json(model::to_json_text(changed))}});
    world.approve(id);
    CHECK(world.rest(id).status == TaskStatus::waiting);
    world.restart();
    world.change(id, InterventionType::agent_override, {{"next_agent", "worker"}});
    world.approve(id);
    const std::string text = R"(plan {"tasks":["b","a"]};next helper;You work. -> You work slowly.;next worker;)";
    const TaskState state = world.rest(id);
    REQUIRE(state.status == TaskStatus::completed);
    CHECK(state.reply->text == text);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");

    const auto told = world.events(id, "event_user_intervention");
    REQUIRE(told.size() == 4);
    CHECK(told[0].at("intervention_type") == "plan_update");
    CHECK(told[1].at("details").at("next_agent") == "helper");
    CHECK(told[2].at("intervention_type") == "team_modification");
    CHECK(told[0].at("user_id") == "ann");
    CHECK(world.events(id, "event_agent_handoff").size() == 1);
    const auto records = world.records(id);
    std::uint32_t counted = 0;
    for (const auto& record : records) {
        counted += static_cast<std::uint32_t>(events_of(record).size());
        CHECK(record.event_seq == counted);
    }

    const auto heard = std::ranges::find(records, "heed:2", &storage::Record::path);
    REQUIRE(heard != records.end());
    const ForkReport fork =
        world.wait(world.commands->fork(kAnn, {.from = id, .at = ForkPoint{ForkPoint::By::record, heard->seq}}));
    world.wait(world.host->wake(fork.task));
    CHECK(world.rest(fork.task).reply->text == text);
}

TEST_CASE("an intervention that cannot be is refused and names what is wrong")
{
    Listening world;
    const Id id = world.begin("listen@1", {.agent = "worker"});
    world.rest(id);
    const auto refused = [&](InterventionType type, boost::json::object details) {
        return error_of([&] { world.change(id, type, details); });
    };
    CHECK(refused(InterventionType::plan_update, {}) == "invalid: plan: is required");
    CHECK(refused(InterventionType::agent_override, {{"next_agent", "nobody"}}) ==
          "invalid: the team has no agent \"nobody\"; it has: worker, helper");
    model::Team other = team_of({});
    other.agents[0].name = "stranger";
    CHECK(refused(InterventionType::team_modification, {{"team", parse_json(model::to_json_text(other))}}) ==
          doctest::Contains("who is not in it"));
    CHECK(refused(InterventionType::plan_update, {{"plan", std::string(300'000, 'x')}}) ==
          "too_large: the plan is larger than 256 KiB");
    CHECK(world.events(id, "event_user_intervention").empty());
}

TEST_CASE("updates that are not as the question asks are refused, and the question stays open")
{
    World world;
    world.team = team_of({});
    world.patterns.add(
        {"form@1", [](Run& run) -> Async<model::Reply> {
             const auto answer = co_await run.ask(
                 {.context =
                      boost::json::parse(
                          R"({"question":"How many?","updates_schema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}})")
                          .as_object()});
             co_return run.reply(to_text(answer.updates.at("n")));
         }});
    const Id id = world.begin("form@1", {.agent = "worker"});
    world.rest(id);
    for (const boost::json::object& updates : {boost::json::object{}, boost::json::object{{"n", "two"}}}) {
        const auto answer = [&] {
            world.wait(world.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::modify, .updates = updates}));
        };
        CHECK(error_of(answer) == doctest::Contains("invalid: the state cannot be changed so: "));
        CHECK(world.state(id).status == TaskStatus::waiting);
    }
    world.wait(world.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::modify, .updates = {{"n", 2}}}));
    CHECK(world.rest(id).reply->text == "2");
}
