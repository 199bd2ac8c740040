#include "patterns/react.hpp"

#include "base/json.hpp"
#include "engine/test_world.hpp"
#include "patterns/patterns.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;

namespace {

struct Worker : World {
    explicit Worker(int max_iterations = 10)
    {
        patterns::add_patterns(patterns);
        team = team_of({"calculator"}, max_iterations);
    }
    TaskState ask(std::string prompt)
    {
        return rest(begin("react@1", {.description = std::move(prompt), .agent = "worker"}));
    }
};

}  // namespace

TEST_CASE("react: one tool, one answer")
{
    Worker world;
    world.model->answer = [](const llm::Request& request) {
        const llm::Message& last = *request.messages.back();
        return last.role == model::Role::tool ? says("The sum is " + last.text + ".")
                                              : calls("calculator", {{"expression", "2+3"}});
    };
    const TaskState state = world.ask("What is 2+3?");
    CHECK(state.reply->text == "The sum is 5.");
    CHECK(world.model->requests.front().messages.front()->text == "What is 2+3?");
}

TEST_CASE("react: a runaway agent stops at max_iterations")
{
    Worker world(3);
    world.model->answer = [](const llm::Request&) { return calls("calculator", {{"expression", "1+1"}}); };
    const TaskState state = world.ask("Go on.");
    CHECK(state.status == model::TaskStatus::failed);
    CHECK(state.error == "max_iterations (3) reached");
    CHECK(world.model->requests.size() == 3);
    CHECK(state.usage.input == 30);
}

TEST_CASE("react: a tool that the agent was not granted is refused with what it has, and nothing is dispatched")
{
    Worker world;
    world.model->answer = [](const llm::Request& request) {
        const llm::Message& last = *request.messages.back();
        return last.role == model::Role::tool ? says(last.text)
                                              : calls("write_file", {{"path", "x"}, {"content", "y"}});
    };
    CHECK(world.ask("Write.").reply->text == R"(You have no tool called "write_file"; you have: calculator.)");
}

TEST_CASE("react: arguments that do not fit the schema come back to the model as words")
{
    Worker world;
    world.model->answer = [](const llm::Request& request) {
        const llm::Message& last = *request.messages.back();
        return last.role == model::Role::tool ? says(last.text) : calls("calculator", {{"expr", "1"}});
    };
    CHECK(world.ask("Compute.").reply->text.find("expression") != std::string::npos);
}

TEST_CASE("an answer that must meet a schema is mended once, then the task fails and says why")
{
    struct Case {
        std::vector<std::string> answers;
        model::TaskStatus status;
        const char* end;  // the answer, or a part of the error
    } const cases[] = {
        {{R"({"n":1})"}, model::TaskStatus::completed, R"({"n":1})"},
        {{"one", R"({"n":2})"}, model::TaskStatus::completed, R"({"n":2})"},
        {{R"({"n":"x"})", R"({"n":"y"})"}, model::TaskStatus::failed, "does not fit output_schema: /n: "},
    };
    for (const auto& c : cases) {
        CAPTURE(c.end);
        World world;
        patterns::add_patterns(world.patterns);
        world.team = team_of({});
        world.team->agents[0].output_schema =
            parse_json(R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})").as_object();
        world.model->answer = [&](const llm::Request& request) {
            CHECK(request.options.output_schema.find("integer") != std::string::npos);
            return says(c.answers.at(static_cast<std::size_t>(request.nth - 1)));
        };
        const TaskState state = world.rest(world.begin("react@1", {.description = "Count.", .agent = "worker"}));
        CHECK(state.status == c.status);
        CHECK((state.reply ? state.reply->text : state.error).find(c.end) != std::string::npos);
        CHECK(world.wait(world.commands->replay(kAnn, state.id)).diverged == "");
    }
}
