#include "home/control/control.hpp"

#include "base/json.hpp"
#include "home/control/create_request.hpp"
#include "home/models.hpp"
#include "home/project/prepare_task.hpp"
#include "support/error_of.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::home;
using cadre::test::error_of;

TEST_CASE("control socket: requests and answers survive the way there and back")
{
    Request request{.verb = "cancel"};
    request.args["task"] = "3f2a\n";
    const std::string line = to_line(request);
    CHECK(line.find('\n') == line.size() - 1);
    const Request read = request_from(line);
    CHECK(read.verb == "cancel");
    CHECK(text_of(read.args, "task") == "3f2a\n");

    CHECK(result_in(parse_line(ok_line(R"({"pid":7})"))) != nullptr);
    CHECK(result_in(parse_line(R"({"seq":1,"event":{}})")) == nullptr);
    const auto failure = std::make_exception_ptr(Error(Code::not_found, "no task"));
    CHECK(error_of([&] { result_in(parse_line(error_line(failure))); }) == "not_found: no task");
    CHECK_THROWS_AS(result_in(parse_line(leaving_line())), Leaving);
    CHECK(error_of([] { request_from("[]"); }) == doctest::Contains("malformed"));
    CHECK(error_of([] { request_from("{}"); }) == "invalid: verb is missing");
}

TEST_CASE("control socket: a task is created as it was asked for")
{
    engine::CreateTask task{
        .id = id_from("3f2a4b1c-0000-4000-8000-000000000000"),
        .team = {.name = "t", .description = "d", .agents = {{.name = "a", .role = "r", .prompt = "p"}}},
        .agent = "a",
        .description = "line one\nline two",
        .model = "script:/x.yaml",
        .mode = model::ExecutionMode::step,
        .budget = {.tokens = 7, .cost = 0.5},
        .created_by = "me",
        .breakpoints = {"a"}};
    const engine::CreateTask read = create_task_from(parse_line(cadre::to_text(boost::json::value(to_args(task)))));
    CHECK(read.id == task.id);
    CHECK(read.team == task.team);
    CHECK(read.description == task.description);
    CHECK(read.mode == task.mode);
    CHECK(read.budget == task.budget);
    CHECK(read.model == task.model);
    CHECK(read.breakpoints == task.breakpoints);
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
