#include "patterns/react.hpp"

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
