#include "engine/recent_teams.hpp"

#include "base/sha256.hpp"
#include "model/read.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;

namespace {

model::Team team_of(const std::string& name)
{
    return {.name = name, .agents = {model::Agent{.name = "worker", .role = "works", .prompt = "You work."}}};
}

}  // namespace

TEST_CASE("recent teams: what is kept is what the text says, and its key is the text's hash")
{
    RecentTeams teams;
    const auto pinned = teams.pin(team_of("one"), {});
    CHECK(pinned->text == model::to_json_text(team_of("one")));
    CHECK(pinned->key == to_hex(sha256(pinned->text)));
    REQUIRE(pinned->agents->size() == 1);
    CHECK(pinned->agents->front().instructions == "You work.");
}

TEST_CASE("recent teams: tasks share agents only where team, model and mode are the same")
{
    RecentTeams teams;
    const auto first = teams.pin(team_of("one"), {});
    CHECK(teams.pin(team_of("one"), {}) == first);
    CHECK(teams.read(first->text, first->key, {}) == first);
    CHECK(teams.pin(team_of("two"), {})->key != first->key);

    const auto other_model = teams.pin(team_of("one"), {.model = "openai/gpt-5-mini"});
    CHECK(other_model->key == first->key);
    CHECK(other_model->agents->front().model() == "openai/gpt-5-mini");
    const auto watched = teams.pin(team_of("one"), {.mode = model::ExecutionMode::hitl});
    CHECK(watched->agents->front().is_watched);
    CHECK_FALSE(first->agents->front().is_watched);
}

TEST_CASE("recent teams: equal teams whose text differs have the text and the key of the first")
{
    model::Team one = team_of("one"), other = one;
    one.deployment_config = {{"a", 1}, {"b", 2}};
    other.deployment_config = {{"b", 2}, {"a", 1}};
    REQUIRE(one == other);
    REQUIRE(model::to_json_text(one) != model::to_json_text(other));
    RecentTeams teams;
    const auto first = teams.pin(one, {});
    const auto second = teams.pin(other, {});
    CHECK(second->text == model::to_json_text(one));
    CHECK(second->key == to_hex(sha256(second->text)));
}

TEST_CASE("recent teams: old ones are forgotten, and stay whole for who has them")
{
    RecentTeams teams;
    const auto first = teams.pin(team_of("first"), {});
    for (int i = 0; i < 20; ++i) teams.pin(team_of("team " + std::to_string(i)), {});
    const auto again = teams.pin(team_of("first"), {});
    CHECK(again != first);
    CHECK(again->key == first->key);
    CHECK(first->agents->front().name == "worker");
}

TEST_CASE("recent teams: one that is used is not forgotten")
{
    RecentTeams teams;
    const auto first = teams.pin(team_of("first"), {});
    for (int i = 0; i < 20; ++i) {
        teams.pin(team_of("team " + std::to_string(i)), {});
        CHECK(teams.read(first->text, first->key, {}) == first);
    }
}
