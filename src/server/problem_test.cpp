#include "server/problem.hpp"

#include "base/json.hpp"
#include "base/secret.hpp"
#include "model/read.hpp"
#include "model/team.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::server;

namespace {

json::object written(const Problem& problem)
{
    const net::HttpAnswer answer = answer_of(problem);
    CHECK(answer.status == problem.status);
    CHECK(net::find_header(answer.headers, "Content-Type") == "application/problem+json");
    return parse_json(answer.body).as_object();
}

}  // namespace

TEST_CASE("problem: every code has a title, and its status is surface()'s")
{
    for (int i = 0; i <= static_cast<int>(Code::internal); ++i) {
        const auto code = static_cast<Code>(i);
        const Problem problem = problem_of({.status = surface(code).http, .code = code, .text = "the text"}, "r1", {});
        const json::object json = written(problem);
        CHECK(json.at("type").as_string() == "/problems/" + std::string(name_of(code)));
        CHECK(!json.at("title").as_string().empty());
        CHECK(json.at("status") == surface(code).http);
        CHECK(json.at("detail").as_string() == (code == Code::internal ? "the log has it under r1" : "the text"));
        CHECK(json.at("request_id") == "r1");
    }
}

TEST_CASE("problem: a reason of the route's own is the type, and the code stays")
{
    Problem problem{.status = 409, .code = Code::conflict, .reason = "already_answered", .request_id = "r1"};
    const json::object json = written(problem);
    CHECK(json.at("type") == "/problems/already_answered");
    CHECK(json.at("reason") == "already_answered");
    CHECK(json.at("code") == "conflict");
}

TEST_CASE("problem: nothing of this machine and no secret is told")
{
    const Secret key("hunter2-hunter2");
    const PrivateFolders folders{"/place/site", "/place/home/"};
    struct {
        const char* text;
        const char* told;
    } const cases[] = {
        {"cannot open /home/ann/.cadre/home.db: denied", "cannot open …: denied"},
        {"cannot open \"/etc/cadre/keys\", sorry", "cannot open \"…\", sorry"},
        {"(/var/lib/x)", "(…)"},
        {"/tmp/a/b is there, ~/x too", "… is there, … too"},
        {"file:/usr/lib/x", "file:…"},
        {"the project /place/site is broken, /place/site/a.yaml too", "the project … is broken, … too"},
        {"/place/sites is another", "/place/sites is another"},
        {"/place/home/x", "…"},
        {"task /tasks/3f/artifacts/home/a.md does not exist", "task /tasks/3f/artifacts/home/a.md does not exist"},
        {"/agents/0/tools: is required", "/agents/0/tools: is required"},
        {"1/2 of it", "1/2 of it"},
        {"the key hunter2-hunter2 is wrong", "the key [redacted] is wrong"},
        {"leave out --agent; --retention-days is a number", "leave out agent; retention_days is a number"},
        {"there is no team called \"--agent\", a--b or --", "there is no team called \"--agent\", a--b or --"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(public_text(c.text, folders) == c.told);
        const Problem problem = problem_of({.status = 404, .code = Code::not_found, .text = c.text}, "r1", folders);
        CHECK(written(problem).at("detail") == c.told);
    }
    const Error bug(Code::internal, "SELECT * FROM task at store.cpp:17");
    CHECK(answer_of(problem_of({.text = bug.what(), .error = &bug}, "r1", {})).body.find("SELECT") ==
          std::string::npos);
}

TEST_CASE("problem: all that is wrong with a body is told at once, each with its place")
{
    model::Problems problems;
    const model::Path root;
    const model::Path agents(root, "agents"), second(agents, 1), odd(second, "a/b~c");
    problems.add(odd, "is required");
    problems.add(root, "is empty");
    const json::object json = written(problem_of(problems, "r1", {}));
    CHECK(json.at("status") == 422);
    CHECK(json.at("errors") == parse_json(R"([{"pointer":"/agents/1/a~1b~0c","detail":"is required"},
                                              {"pointer":"","detail":"is empty"}])"));
}
