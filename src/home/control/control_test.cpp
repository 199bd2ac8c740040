#include "home/control/control.hpp"

#include "engine/numbered_event.hpp"
#include "home/home_owner.hpp"
#include "home/models.hpp"
#include "home/project/prepare_task.hpp"
#include "home/requests.hpp"
#include "home/verbs.hpp"
#include "model/read.hpp"
#include "model/write.hpp"
#include "support/error_of.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <set>

using namespace cadre;
using namespace cadre::home;
using cadre::test::error_of;

TEST_CASE("control socket: requests and answers survive the way there and back")
{
    const std::string line = request_line("cancel", "ann", R"({"reason":"3f2a\n"})");
    CHECK(line.find('\n') == line.size() - 1);
    const Request read = request_from(line);
    CHECK(read.verb == "cancel");
    CHECK(read.by == "ann");
    CHECK(read.args.at("reason").as_string() == "3f2a\n");

    CHECK(result_in(parse_line(ok_line(R"({"pid":7})"))) != nullptr);
    CHECK(result_in(parse_line(R"({"seq":1,"event":{}})")) == nullptr);
    const auto failure = std::make_exception_ptr(Error(Code::not_found, "no task", {"to see them", "tasks"}));
    CHECK(error_of([&] { result_in(parse_line(error_line(failure))); }) == "not_found: no task");
    CHECK_THROWS_AS(result_in(parse_line(leaving_line())), Leaving);
    CHECK(error_of([] { request_from("[]"); }) == doctest::Contains("malformed"));
    CHECK(error_of([] { request_from("{}"); }) == "invalid: verb is missing");
}

TEST_CASE("control socket: what is told survives the way there and back")
{
    const auto there_and_back = [](const Told& told) { return told_in(parse_line(line_of(told))); };
    const auto event = std::make_shared<const engine::NumberedEvent>(
        7U, model::Event(model::AgentStartEvent{.agent_name = "a", .step_id = "s"}));
    const Told heard = there_and_back(event);
    const auto* same = std::get_if<engine::EventPtr>(&heard);
    REQUIRE(same);
    CHECK((*same)->number == 7);
    CHECK((*same)->event == event->event);

    const model::StreamChunk chunk{
        .step_id = "step_3f2a4b1c000040008000000000000000", .agent_name = "a", .text = "Hel\nlo"};
    CHECK(std::get<model::StreamChunk>(there_and_back(chunk)) == chunk);
    CHECK(std::holds_alternative<engine::ChunkGap>(there_and_back(engine::ChunkGap{})));
    CHECK(std::holds_alternative<WaitsNoMore>(there_and_back(WaitsNoMore{})));
    const Id task = id_from("3f2a4b1c-0000-4000-8000-000000000000");
    const auto question = std::get<WaitsForPerson>(there_and_back(WaitsForPerson{task, "r1"}));
    CHECK(question.task == task);
    CHECK(question.request == "r1");
    const auto rest = std::get<TaskAtRest>(there_and_back(TaskAtRest{task, "failed", "no key"}));
    CHECK(rest.task == task);
    CHECK(rest.error == "no key");
    CHECK(error_of([] { told_in(parse_line(R"({"seq":1,"event":{"type":"event_of_2030"}})")); }) ==
          doctest::Contains("does not know"));
}

TEST_CASE("verbs: every request and answer is described, and no two verbs share a name")
{
    std::set<std::string_view> names;
    for (const Verb& verb : verbs()) {
        CAPTURE(verb.name);
        CHECK(names.insert(verb.name).second);
        CHECK_FALSE(verb.takes.doc.empty());
        CHECK_FALSE(verb.gives.doc.empty());
        for (const model::Field& field : verb.takes.fields) CHECK_FALSE(field.doc.empty());
    }
    CHECK(get_verb("fork").act == Act::change);
    CHECK(error_of([] { get_verb("frok"); }) == doctest::Contains("does not know the request \"frok\""));
}

TEST_CASE("control socket: a task is created as it was asked for")
{
    const Create create{
        .task = {.id = id_from("3f2a4b1c-0000-4000-8000-000000000000"),
                 .team = {.name = "t", .description = "d", .agents = {{.name = "a", .role = "r", .prompt = "p"}}},
                 .agent = "a",
                 .description = "line one\nline two",
                 .model = "script:/x.yaml",
                 .mode = model::ExecutionMode::step,
                 .budget = {.tokens = 7, .cost = 0.5},
                 .breakpoints = {"a"},
                 .metadata = {{"ticket", 7}},
                 .start = false}};
    const auto read = model::from_text<Create>(model::to_json_text(create)).task;
    CHECK(read.id == create.task.id);
    CHECK(read.team == create.task.team);
    CHECK(read.description == create.task.description);
    CHECK(read.mode == create.task.mode);
    CHECK(read.budget == create.task.budget);
    CHECK(read.model == create.task.model);
    CHECK(read.breakpoints == create.task.breakpoints);
    CHECK(read.metadata == create.task.metadata);
    CHECK_FALSE(read.start);

    const Create another{.task = {.description = "and now?", .session = "s"}};
    CHECK(model::from_text<Create>(model::to_json_text(another)).task.team.agents.empty());
}

TEST_CASE("model specs: a script is named by its whole path, others stay as they are")
{
    CHECK(whole_spec("script:demo.yaml", "/a/b") == "script:/a/b/demo.yaml");
    CHECK(whole_spec("script/demo.yaml", "/a/b") == "script:/a/b/demo.yaml");
    CHECK(whole_spec("script:../demo.yaml", "/a/b") == "script:/a/demo.yaml");
    CHECK(whole_spec("script:/x/demo.yaml", "/a/b") == "script:/x/demo.yaml");
    CHECK(whole_spec("openai/gpt-5-mini", "/a/b") == "openai/gpt-5-mini");
}

TEST_CASE("budgets: what was typed wins, the rest stays")
{
    const engine::Budget both = merged({.tokens = 10, .steps = 5}, {.tokens = 20, .cost = 1.0});
    CHECK(both == engine::Budget{.tokens = 20, .cost = 1.0, .steps = 5});
}
