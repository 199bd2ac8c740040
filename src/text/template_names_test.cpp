#include "text/template_names.hpp"

#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace cadre;
using namespace cadre::text;
using test::error_of;

namespace {

std::string members_of(std::string_view source)
{
    std::string all;
    const Template parsed = Template::parse(source);
    for (const UsedMember& use : parsed.members()) {
        const Place place = parsed.place(use.unit, use.member_at);
        all += (all.empty() ? "" : " ") + use.name + '.' + use.member + '@' + std::to_string(place.column);
    }
    return all;
}

}  // namespace

TEST_CASE("template names: what is used of a name is known beforehand, each once")
{
    CHECK(members_of("{{ task.id }}{{ task['input'].x }}{{ task.id }}") == "task.id@9 task.input@21");
    CHECK(members_of("{{ state }}{{ state.a|default(task.id) }}") == "state.@4 state.a@21 task.id@36");
    CHECK(members_of("{{ task[state.key] }}{{ task.items() }}") == "task.@4 state.key@15");
    // set somewhere by the template itself: nobody can say which is meant where
    CHECK(members_of("{{ agent.name }}{% for agent in team.agents %}{{ agent.role }}{% endfor %}") ==
          "agent.@4 team.agents@38");
    CHECK(members_of("{% set x = 1 %}{{ x }}{{ range(3) }}") == "");
}

TEST_CASE("expression: spaces make no other spelling")
{
    const auto spelled = [](std::string_view source) { return Expression::parse(source).spelling(); };
    CHECK(spelled("tokens>1000") == "tokens > 1000");
    CHECK(spelled(" tokens  >\n1000 ") == "tokens > 1000");
    CHECK(spelled("(cost+1)*2>=0.5 and not( 'a  b' in [steps,calls] )") ==
          "(cost + 1) * 2 >= 0.5 and not ('a  b' in [steps, calls])");
    CHECK(spelled("x . y [ 0 ]|default( 3 )") == "x.y[0]|default(3)");
}

TEST_CASE("template names: an unknown one is an error that says which was meant")
{
    struct {
        const char* source;
        const char* says;
    } const cases[] = {
        {"{{ task.id }} {{ agnt.name }}", "template:1:18: \"agnt\" is not defined, did you mean \"agent\"?"},
        {"{{ weather }}", "\"weather\" is not defined; there are: task, agent, team, state"},
        {"\n{{ task.descripton }}", "template:2:9: task has no \"descripton\", did you mean \"description\"?"},
        {"{{ team.x }}", "team has no \"x\"; it has: name, description, agents"},
        {"{{ tokens }}", "\"tokens\" is not defined"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.source);
        CHECK(error_of([&] { expect_known(Template::parse(c.source), prompt_names()); }) == doctest::Contains(c.says));
    }
    expect_known(
        Template::parse("{{ task.input.any }}{{ state.any }}{% for a in team.agents %}{{ a.role }}{% endfor %}"),
        prompt_names());
    expect_known(Expression::parse("tokens > 1000 or cost >= 0.5 and steps + calls > 3"), breakpoint_names());
    CHECK(error_of([&] { expect_known(Expression::parse("token > 3"), breakpoint_names()); }) ==
          doctest::Contains("expression:1:1: \"token\" is not defined, did you mean \"tokens\"?"));
    CHECK(error_of([&] { expect_known(Expression::parse("answr == ''"), turn_names()); }) ==
          doctest::Contains("did you mean \"answer\"?"));
}
