#include "mcp/mock/script.hpp"

#include "support/entity_rules.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::mcp::mock;
using cadre::test::error_of;

TEST_CASE("a script of mock-mcp is described: each example reads, and has a schema and a page")
{
    const model::Entity* const entities[] = {&test::description_of<Condition>(),  &test::description_of<Failure>(),
                                             &test::description_of<Answer>(),     &test::description_of<Change>(),
                                             &test::description_of<ScriptTool>(), &test::description_of<Script>()};
    test::check_examples(entities);
}

TEST_CASE("whatever is wrong with a script of mock-mcp is said with its place")
{
    struct {
        const char* name;
        const char* text;
        const char* says;
    } const cases[] = {
        {"no YAML", "tools: [", "malformed: s.yaml:"},
        {"misspelt", "tolls: []", "did you mean \"tools\"?"},
        {"no name", "tools: [{answers: []}]", "is required"},
        {"no answer", "tools: [{name: t, answers: [{delay_ms: 5}]}]",
         "answers nothing; give text, json, error, fail, stall or crash"},
        {"two ways", "tools: [{name: t, answers: [{text: a, crash: true}]}]", "answers in more than one way"},
        {"times", "tools: [{name: t, answers: [{text: a, times: often}]}]",
         "times: must be a number from 1 on, or any"},
        {"twice nothing", "tools: [{name: t, answers: [{stall: true, duplicate: true}]}]",
         "needs the answer that comes twice"},
        {"schema", "tools: [{name: t, input_schema: {type: 5}}]", "input_schema"},
        {"same name", "tools: [{name: t}, {name: t}]", "has a name that another tool has"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        CHECK(error_of([&] { read_script(c.text, "s.yaml"); }) == doctest::Contains(c.says));
    }
}

TEST_CASE("a script of mock-mcp knows where its answers stand")
{
    const ReadScript read = read_script("tools:\n- name: t\n  answers:\n  - text: a\n  - stall: true\n", "s.yaml");
    REQUIRE(read.lines.size() == 1);
    CHECK(read.lines[0] == std::vector<std::size_t>{4, 5});
    CHECK(read.script.builtin);
}
