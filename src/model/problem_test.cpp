#include "model/problem.hpp"

#include "base/json.hpp"
#include "model/graph.hpp"
#include "model/read.hpp"
#include "model/team.hpp"
#include "support/entity.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;

namespace {

template <class T>
Problems problems_in(std::string_view text)
{
    T entity{};
    Problems problems;
    read(parse_json(text), &entity, describe(&entity), {}, problems, {});
    return problems;
}

}  // namespace

TEST_CASE("a place is told by its steps: names with dots and brackets are no other places")
{
    const auto problems = problems_in<Graph>(
        R"({"name":"g","patterns":[],"edges":[],"entry_point":"a.b[0]","nodes":{"a.b[0]":{"type":5},"a":{"type":6}}})");
    REQUIRE(problems.list().size() == 2);
    CHECK(problems.list()[0].place == PathSteps{"nodes", "a.b[0]", "type"});
    CHECK(problems.list()[0].path() == "nodes.a.b[0].type");
    CHECK(problems.list()[0].line() == "nodes.a.b[0].type: must be text, is a number");
    CHECK(problems.list()[1].place == PathSteps{"nodes", "a", "type"});
    CHECK(problems_in<Graph>("[]").list()[0].place.empty());
}

TEST_CASE("a problem tells its kind, so nobody looks at its text")
{
    struct {
        ProblemKind kind;
        const char *text, *path;
    } const cases[] = {
        {ProblemKind::missing, R"({"description":"","default_llm":{},"agents":[],"tools":[]})", "name"},
        {ProblemKind::unknown_field, R"({"colour":1})", "colour"},
        {ProblemKind::missing, R"({"agents":[{"name":"a","role":"r"}]})", "agents[0].prompt_template"},
        {ProblemKind::duplicate,
         R"({"agents":[{"name":"a","role":"r","prompt":"p"},{"name":"a","role":"r","prompt":"p"}]})", "agents[1].name"},
        {ProblemKind::duplicate, R"({"agents":[{"name":"a_b","role":"r","prompt":"p"},
                                              {"name":"c","role":"r","prompt":"p","alias":"a-b"}]})",
         "agents[1].alias"},
        {ProblemKind::unknown_name, R"({"tools":[],"agents":[{"name":"a","role":"r","prompt":"p","tools":["t"]}]})",
         "agents[0].tools[0]"},
        {ProblemKind::other, R"({"name":5})", "name"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        const auto problems = problems_in<Team>(c.text);
        const auto found = std::ranges::find(problems.list(), std::string(c.path), &Problem::path);
        REQUIRE(found != problems.list().end());
        CHECK(found->kind == c.kind);
    }
    const auto loop = problems_in<Graph>(
        R"({"name":"g","patterns":[],"nodes":{"a":{"type":"human"}},"edges":[{"from":"a","to":"a"}],"entry_point":"a"})");
    REQUIRE(loop.list().size() == 1);
    CHECK(loop.list()[0].kind == ProblemKind::cycle);
}

TEST_CASE("a mistyped name tells which place was meant")
{
    const auto problems = problems_in<Team>(R"({"agnets":[],"zzz":1})");
    CHECK(problems.list()[0].meant == PathSteps{"agents"});
    CHECK(problems.list()[1].meant.empty());
    CHECK_FALSE(problems.is_read(Path(Path(), "agents")));
}

TEST_CASE("what was said of a place counts for what is in it, and only soundness asks for the inside")
{
    const Path root, agents(root, "agents"), first(agents, 0), name(first, "name"), second(agents, 1);
    Problems problems;
    CHECK(problems.is_sound(root));
    problems.add(first, "must be an object, is a list");
    CHECK_FALSE(problems.is_read(first));
    CHECK_FALSE(problems.is_read(name));
    CHECK(problems.is_read(agents));
    CHECK_FALSE(problems.is_sound(agents));
    CHECK(problems.is_sound(second));
    CHECK(problems.is_sound(Path(root, "agent")));
    problems.add(root, "is no good");
    CHECK_FALSE(problems.is_read(second));
}

TEST_CASE("a long name is whole in the steps and cut where it is shown")
{
    const std::string longest(200, 'n');
    const auto problems = problems_in<Team>("{\"" + longest + "\":1}");
    CHECK(problems.list()[0].place == PathSteps{longest});
    CHECK(problems.list()[0].path() == longest.substr(0, 80));
}
