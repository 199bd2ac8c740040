#include "patterns/react.hpp"

#include "base/json.hpp"
#include "engine/test_world.hpp"
#include "model/write.hpp"
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
    CHECK(state.error.starts_with("max_iterations (3) reached: worker may call its model 3 times"));
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

TEST_CASE("react: what people change between two steps counts from the next one on, also after a crash")
{
    struct Changed : Worker {
        Changed()
        {
            team->agents.push_back({.name = "helper", .role = "helps", .tools = {"calculator"}, .prompt = "You help."});
            slow = add_tool("slow", model::Effect::pure);
            slow->takes = Millis(1000);
            team->agents.front().tools = {"slow"};
            model->answer = [](const llm::Request& request) {
                return request.messages.size() == 1 ? calls("slow")
                                                    : says(request.agent + " after " + request.messages.back()->text);
            };
        }
        std::shared_ptr<FakeTool> slow;
    };
    using Type = model::InterventionType;
    const auto change = [](Changed& world, Id id, Type type, boost::json::object details) {
        world.wait(world.commands->intervene(kAnn, id, {.type = type, .details = std::move(details)}));
    };
    for (const bool crashes : {false, true}) {
        CAPTURE(crashes);
        Changed world;
        const Id id = world.begin("react@1", {.description = "go", .agent = "worker"});
        world.wait(sleep_for(Millis(500)));  // the tool is at work
        change(world, id, Type::agent_override, {{"next_agent", "helper"}});
        change(world, id, Type::plan_update, {{"plan", {{"first", "plums"}}}});
        if (crashes) {
            world.restart();
            world.wait(world.commands->resume(kAnn, id));
        }
        const TaskState state = world.rest(id);
        REQUIRE(state.reply);
        CHECK(state.reply->text == "helper after The plan was changed. From now on it is:\n{\"first\":\"plums\"}");
        CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
    }
    Changed world;
    const Id id = world.begin("react@1", {.description = "go", .agent = "worker"});
    world.wait(sleep_for(Millis(500)));
    model::Team other = *world.team;
    other.tools.push_back({.name = "slow", .type = model::ToolType::builtin});
    other.agents.front().prompt = "You work otherwise.";
    change(world, id, Type::team_modification, {{"team", boost::json::parse(model::to_json_text(other)).as_object()}});
    CHECK(world.rest(id).status == model::TaskStatus::completed);
    CHECK(world.model->requests.front().instructions != world.model->requests.back().instructions);
    CHECK(world.model->requests.back().instructions.find("otherwise") != std::string::npos);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("react: a run that nobody interferes with records nothing of that")
{
    Worker world;
    world.model->answer = [](const llm::Request&) { return says("done"); };
    const TaskState state = world.ask("x");
    CHECK(world.records(state.id).size() == 5);
}
