#include "engine/prompt_template.hpp"

#include "engine/test_world.hpp"
#include "support/error_of.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using model::TaskStatus;
using test::error_of;

namespace {

model::Team templated(std::string source, boost::json::object more = {})
{
    model::Team team{.name = "press",
                     .description = "Prints.",
                     .agents = {{.name = "writer", .role = "writes", .prompt_template = "prompts/writer.j2"},
                                {.name = "editor", .role = "edits", .prompt = "You edit {{ nothing }}."}}};
    team.templates = std::move(more);
    team.templates["prompts/writer.j2"] = source;
    return team;
}

/// Thinks, is stopped until a person says so, and thinks again.
Async<model::Reply> twice(Run& run)
{
    run.tell(run.prompt());
    const Step first = co_await run.think(run.agent());
    co_await run.ask({.context = {{"question", "Go on?"}}});
    run.tell("And?");
    co_return run.reply(first.text + "|" + (co_await run.think(run.agent())).text);
}

/// A world in which models answer with their instructions.
struct Echo : World {
    Echo()
    {
        patterns.add({"twice@1", twice});
        model->answer = [](const llm::Request& request) { return says(request.instructions); };
    }
    Id asked(const std::string& description = "Report.")
    {
        return begin("twice@1", {.description = description, .agent = "writer", .input = {{"days", 3}}});
    }
    TaskState answered(Id id)
    {
        wait(commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve}));
        return rest(id);
    }
};

}  // namespace

TEST_CASE("a prompt's template is rendered with the task, the agent and the team")
{
    Echo world;
    world.team = templated(
        "You are {{ agent.name }}, who {{ agent.role }} at {{ team.name }}.{% if task.input.days > 2 %} Hurry:{% endif "
        "%} "
        "{{ task.description|upper }}{% for other in team.agents if other.name != agent.name %} Ask {{ other.name }}."
        "{% endfor %}{% if state is defined %}{{ state }}{% endif %}");
    const Id id = world.asked();
    CHECK(world.rest(id).status == TaskStatus::waiting);
    REQUIRE(world.model->requests.size() == 1);
    CHECK(world.model->requests[0].instructions == "You are writer, who writes at press. Hurry: REPORT. Ask editor.");
    world.restart();
    const TaskState state = world.answered(id);
    CHECK(state.status == TaskStatus::completed);
    CHECK(world.model->requests.size() == 2);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("a plain prompt is sent as it is written")
{
    Echo world;
    world.team = templated("x");
    world.rest(world.begin("twice@1", {.description = "Go.", .agent = "editor"}));
    CHECK(world.model->requests.at(0).instructions == "You edit {{ nothing }}.");
}

TEST_CASE("a task keeps the template that it began with, and what that includes")
{
    Echo world;
    world.team = templated("{% include 'tone.j2' %} {% include 'shared/end.j2' %}",
                           {{"prompts/tone.j2", "Old {{ task.description }}"}, {"shared/end.j2", "End."}});
    const Id id = world.asked();
    world.rest(id);
    world.team = templated("New.");
    world.restart();
    CHECK(world.answered(id).reply->text == "Old Report. End.|Old Report. End.");
    const Id next = world.asked();
    world.rest(next);
    CHECK(world.model->requests.back().instructions == "New.");
}

TEST_CASE("a template that fails at run time fails the task before any model is asked, the same in a replay")
{
    Echo world;
    world.team = templated("One\n{{ task.input.hours }}");
    const Id id = world.asked();
    const TaskState state = world.rest(id);
    CHECK(state.status == TaskStatus::failed);
    CHECK(state.error.find("prompts/writer.j2:2:15: a dict has no \"hours\"") != std::string::npos);
    CHECK(world.model->requests.empty());
    CHECK(state.steps == 0);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");

    world.team = templated("{{ state.x }}");
    CHECK(world.rest(world.asked()).error.find("prompts/writer.j2:1:4: \"state\" is not defined") != std::string::npos);
}

TEST_CASE("the state that a pattern shows is what templates call state, and a part of what was asked")
{
    World world;
    world.model->answer = [](const llm::Request& request) { return says(request.instructions); };
    world.team = templated("Colour: {{ state.colour|default('none') }}");
    std::string colour = "red";
    world.patterns.add({"shown@1", [&colour](Run& run) -> Async<model::Reply> {
                            run.set_state(std::make_shared<boost::json::object>(
                                boost::json::object{{"colour", colour}, {"unused", 5}}));
                            const std::string said = (co_await run.think(run.agent())).text;
                            co_await run.ask({.context = {{"question", "Go on?"}}});
                            co_return run.reply(said);
                        }});
    const Id id = world.begin("shown@1", {.agent = "writer"});
    world.rest(id);
    CHECK(world.model->requests.at(0).instructions == "Colour: red");
    colour = "blue";  // code that asks for something else than it did
    world.restart();
    world.wait(world.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve}));
    CHECK(world.rest(id).reply->text == "Colour: red");  // a model's answer stands, and the difference has a name
    std::string drift;
    for (const auto& record : world.records(id))
        if (record.kind == storage::RecordKind::note && record.path == "think:1") drift += record.body;
    CHECK(drift == R"({"drift":"variables"})");
}

TEST_CASE("what a template is made from is told apart from its text: a fork goes live where values differ")
{
    Echo world;
    world.team = templated("Be brief about {{ task.description }}.");
    const Id id = world.asked();
    world.rest(id);
    world.answered(id);
    const auto same = world.wait(world.commands->fork(kAnn, {.from = id, .at = ForkPoint{ForkPoint::By::record, 4}}));
    CHECK(same.model_calls == 1);  // another task's id is no difference: the template does not use it
    ForkTask other{.from = id, .description = "Another."};
    CHECK(world.wait(world.commands->fork(kAnn, std::move(other))).model_calls == 0);
}

TEST_CASE("a team is refused whose templates are missing, cannot be parsed or use unknown names")
{
    Echo world;
    world.team = templated("x");
    world.team->templates.clear();
    CHECK(error_of([&] { world.asked(); }) ==
          doctest::Contains("invalid: agent \"writer\" names the template \"prompts/writer.j2\", and the team's "
                            "templates have no text for it"));
    world.team = templated("{{ task.id|uper }}");
    CHECK(error_of([&] { world.asked(); }) ==
          doctest::Contains("prompts/writer.j2:1:12: unknown filter \"uper\", did you mean \"upper\"?"));
    world.team = templated("{{ agnt.name }}");
    CHECK(error_of([&] { world.asked(); }) ==
          doctest::Contains("prompts/writer.j2:1:4: \"agnt\" is not defined, did you mean \"agent\"?"));
}

TEST_CASE("variables hold what a template uses and nothing else")
{
    const model::Team team = templated("{{ task.description }}{{ agent.tools }}{{ team.name }}{{ state.a }}");
    const PromptTemplate prompt(team.agents[0], team);
    const TaskSpec spec{.description = "Go.", .input = {{"secret", 1}}};
    const boost::json::object state{{"a", 1}, {"b", 2}};
    CHECK(boost::json::serialize(prompt.variables(Id{}, spec, &state)) ==
          R"({"task":{"description":"Go."},"agent":{"tools":[]},"team":{"name":"press"},"state":{"a":1}})");
    CHECK(prompt.render(prompt.variables(Id{}, spec, &state)) == "Go.[]press1");
    CHECK_FALSE(prompt.variables(Id{}, spec, nullptr).contains("state"));
}
