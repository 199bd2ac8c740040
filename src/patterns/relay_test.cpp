#include "engine/test_world.hpp"
#include "llm/script.hpp"
#include "patterns/patterns.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;

TEST_CASE("relay: each agent hears the prompt and what the one before it said, and goes on after a crash")
{
    World world;
    patterns::add_patterns(world.patterns);
    model::Team team = team_of({});
    team.agents.push_back(team.agents.front());
    team.agents.back().name = "second";
    world.team = team;
    world.model->answer = [](const llm::Request& request) {
        return says(request.agent + " heard " + std::to_string(request.messages.size()) + ", last " +
                    request.messages.back()->text);
    };
    const Id id = world.begin("relay@1", {.description = "Go.", .agent = "worker"});
    CHECK(world.rest(id).reply->text == "second heard 2, last worker heard 1, last Go.");
    CHECK(world.model->requests.size() == 2);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("relay: a script goes on where it was, although the part that used its first entries is over")
{
    World world;
    patterns::add_patterns(world.patterns);
    model::Team team = team_of({"slow"});
    team.agents.push_back(team.agents.front());
    team.agents.back().name = "second";
    world.team = team;
    world.add_tool("slow", model::Effect::pure)->takes = Millis(1000);
    constexpr std::string_view kScript = R"([{"text":"first"},
        {"tool_calls":[{"name":"slow","arguments":{}}]}, {"text":"second"}])";
    std::shared_ptr<llm::ScriptModel> script;
    world.env->models = [&](const model::LlmConfig&, const Id&, const std::string&) { return script; };
    world.restart();

    script = llm::ScriptModel::from_text(kScript, "s.json");
    const Id id = world.begin("relay@1", {.description = "Go.", .agent = "worker"});
    world.wait(sleep_for(Millis(500)));  // the second agent's tool is at work
    script = llm::ScriptModel::from_text(kScript, "s.json");
    world.restart();
    world.wait(world.host->wake(id));
    CHECK(world.rest(id).reply->text == "second");
    CHECK(script->left_over().empty());
    const auto records = world.records(id);
    CHECK(std::ranges::count(records, storage::RecordKind::node_done, &storage::Record::kind) == 2);
    CHECK(std::ranges::count(records, storage::RecordKind::outcome, &storage::Record::kind) == 4);  // no call twice
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("relay: a finished part is skipped with a script, too, and its failures have used up their entries")
{
    World world;
    patterns::add_patterns(world.patterns);
    model::Team team = team_of({"slow"});
    team.agents.push_back(team.agents.front());
    team.agents.back().name = "second";
    world.team = team;
    world.add_tool("slow", model::Effect::pure)->takes = Millis(100'000);
    constexpr std::string_view kScript = R"([{"fail":{"status":500}}, {"text":"first"},
        {"tool_calls":[{"name":"slow","arguments":{}}]}, {"fail":{"status":500}}, {"text":"second"}])";
    std::shared_ptr<llm::ScriptModel> script;
    world.env->models = [&](const model::LlmConfig&, const Id&, const std::string&) { return script; };
    world.restart();

    script = llm::ScriptModel::from_text(kScript, "s.json");
    const Id id = world.begin("relay@1", {.description = "Go.", .agent = "worker"});
    world.wait(sleep_for(Millis(50'000)));  // the second agent's tool is at work
    script = llm::ScriptModel::from_text(kScript, "s.json");
    world.restart();
    world.wait(world.host->wake(id));
    CHECK(world.rest(id).reply->text == "second");
    CHECK(script->left_over().empty());
    const auto records = world.records(id);
    CHECK(std::ranges::count(records, storage::RecordKind::attempt_failed, &storage::Record::kind) == 2);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}
