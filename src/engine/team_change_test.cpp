#include "engine/team_change.hpp"

#include "engine/test_world.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using cadre::test::error_of;

TEST_CASE("a setting of a team is changed by its path, and only to what a team may be")
{
    model::Team team = testing::team_of({"calculator"});
    change_team(team, "agents.worker.temperature", "0.2");
    CHECK(team.agents[0].temperature == 0.2);
    change_team(team, "agents.0.prompt", "Be brief.");
    CHECK(team.agents[0].prompt == "Be brief.");
    change_team(team, "agents.worker.temperature", "null");
    CHECK(!team.agents[0].temperature);
    change_team(team, "agents.worker.llm_config", R"({"provider":"script","model":"a.yaml"})");
    change_team(team, "agents.worker.llm_config.model", "b.yaml");
    CHECK(team.agents[0].llm_config->model == "b.yaml");

    struct {
        const char* path;
        const char* value;
        const char* says;
    } const cases[] = {
        {"agents.worker.temprature", "1", "temprature"},
        {"agents.worker.temperature", "hot", "agents[0].temperature"},
        {"agents.nobody.prompt", "x", "agents.nobody.prompt: there is no \"nobody\"; there are: worker"},
        {"agents..prompt", "x", "is not a path"},
        {"name.first", "x", "there is nothing inside"},
        {"", "x", "is not a path"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.path);
        const model::Team before = team;
        CHECK(error_of([&] { change_team(team, c.path, c.value); }) == doctest::Contains(c.says));
        CHECK(team == before);
    }
}
