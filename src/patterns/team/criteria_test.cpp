#include "patterns/team/criteria.hpp"

#include "patterns/team/team_fixture.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns::testing;

namespace {

std::string config(const char* success, const char* failure)
{
    return std::string(R"({"execution_config":{"success_criteria":)") + success + R"(,"failure_criteria":)" + failure +
           "}}";
}

/// The worker counts its turns; the judge says what it is told to.
Speaks counting(std::string verdict)
{
    return [verdict = std::move(verdict)](const llm::Request& request) {
        return request.agent == "judge" ? says(verdict) : says("try " + std::to_string(request.nth));
    };
}

}  // namespace

TEST_CASE(
    "criteria: success ends the task, failure fails it, and a team that has stopped is sent back twice")  // TEAM-30 U
{
    const struct {
        const char* name;
        std::string team;
        const char* verdict;
        const char* speakers;
        const char* error;  // empty: it is completed
    } cases[] = {
        {"met", config(R"(["expr: 'try' in answer"])", "[]"), "", "worker", ""},
        {"met later", config(R"(["expr: state.turns == 2"])", "[]"), "", "worker worker", ""},
        {"never met", config(R"(["expr: 'x' in answer", "expr: 'try' in answer"])", "[]"), "", "worker worker worker",
         "success criteria not met: expr: 'x' in answer"},
        {"judged", config(R"(["It tries."])", "[]"), R"({"met":[1],"reason":""})", "worker judge", ""},
        {"judged and unmet", config(R"(["It tries.", "It wins."])", "[]"), R"({"met":[1],"reason":"No win."})",
         "worker judge worker judge worker judge", "success criteria not met: It wins."},
        {"failure", config("[]", R"(["expr: answer == 'try 1'"])"), "", "worker",
         "failure criterion met: expr: answer == 'try 1'"},
        {"judged failure", config("[]", R"(["It tries."])"), R"({"met":[1],"reason":""})", "worker judge",
         "failure criterion met: It tries."},
        {"no failure", config("[]", R"(["It fails."])"), R"({"met":[],"reason":""})", "worker judge", ""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        Teamwork world(c.team, counting(c.verdict));
        world.play_out();
        const TaskState state = world.state(world.last);
        CHECK(state.error == c.error);
        CHECK((state.status == model::TaskStatus::completed) == std::string_view(c.error).empty());
        CHECK(state.reply.has_value());  // also one that has failed says what it came to
        CHECK(world.speakers() == c.speakers);
        CHECK(world.wait(world.commands->replay(kAnn, world.last)).diverged == "");
    }
}

TEST_CASE(
    "team case 8: success by the model and failure by an expression at once is a failure, and the model is not asked")
{
    Teamwork world(config(R"(["It tries."])", R"(["expr: 'try' in answer"])"), counting(R"({"met":[1],"reason":""})"));
    world.play_out();
    CHECK(world.state(world.last).error == "failure criterion met: expr: 'try' in answer");
    CHECK(world.speakers() == "worker");
}

TEST_CASE("criteria: the first agent hears what is missing, and why")
{
    Teamwork world(config(R"(["It wins."])", "[]"), counting(R"({"met":[],"reason":"It lost."})"));
    world.play_out();
    const auto heard = Teamwork::heard(world.model->requests[2]);
    CHECK(heard ==
          std::vector<std::string>{"Go.", "try 1", "The answer does not meet these criteria yet: It wins.\nIt lost."});
}

TEST_CASE("criteria: an agent of the team that is called judge judges, with its own words")
{
    const std::string team = config(R"(["It tries."])", "[]");
    const auto prepare = [&](Stage& stage) {
        prepared(team, counting(R"({"met":[1],"reason":""})"))(stage);
        stage.team->agents.back().name = "judge";
        stage.team->agents.back().prompt = "You are our judge.";
    };
    Stage world(patterns::team);
    prepare(world);
    const Id id = world.begin("team@1", {.description = "Go.", .agent = "worker"});
    CHECK(ending(world.finish(id)) == "try 1");
    CHECK(world.model->requests.back().instructions == "You are our judge.");
    check_cuts(patterns::team, "try 1", true, prepare);
}

TEST_CASE("criteria: a run that is judged ends the same wherever its process dies")
{
    const auto speak = [](const llm::Request& request) {
        if (request.agent == "judge")
            return says(request.nth == 1 ? R"({"met":[],"reason":"More."})" : R"({"met":[1],"reason":""})");
        return says("try " + std::to_string(request.messages.size()));
    };
    check_cuts(patterns::team, "try 3", true, prepared(config(R"(["It tries."])", "[]"), speak));
}

TEST_CASE("criteria: a judge whose words are no verdict is named, and what it was asked for")
{
    Teamwork world(config(R"(["It tries."])", "[]"), counting("Well done."));
    world.play_out();
    CHECK(world.state(world.last).error.starts_with("judge, asked for a verdict on the criteria, failed: "));
}
