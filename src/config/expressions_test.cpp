#include "config/project_fixture.hpp"
#include "config/text_position.hpp"

#include <doctest/doctest.h>

using namespace cadre::config;

namespace {

const std::string kTeam = "name: t\ndescription: d\ndefault_llm: {}\ntools: []\n"
                          "agents: [{name: a, role: r, prompt: p}, {name: b, role: r, prompt: p}]\n";

std::string said_of(const std::string& more)
{
    return checked({{"teams/t.yaml", kTeam + more}});
}

}  // namespace

TEST_CASE("conditions of handoffs, criteria and breakpoints are parsed, and are wrong where they stand")
{
    struct {
        std::string more, says;
    } const cases[] = {
        {"handoff_rules: [{from_agent: a, to_agent: b, condition: state.score > 0.8 and answer}]\n", ""},
        {"handoff_rules:\n- from_agent: a\n  to_agent: b\n  condition: state.score >\n",
         "teams/t.yaml:9:27: handoff_rules[0].condition: a value is expected here, not the end"},
        {"handoff_rules:\n- from_agent: a\n  to_agent: b\n  condition: \"tsk.id == 'x'\"\n",
         "teams/t.yaml:9:15: handoff_rules[0].condition: \"tsk\" is not defined, did you mean \"task\"?"},
        {"handoff_rules:\n- from_agent: a\n  to_agent: b\n  condition: |\n    state.x and\n      state.y|uper\n",
         "teams/t.yaml:11:15: handoff_rules[0].condition: unknown filter \"uper\", did you mean \"upper\"?"},
        {"handoff_rules:\n- from_agent: a\n  to_agent: b\n  condition: >\n    state.x and\n    state.y|uper\n",
         "teams/t.yaml:9:14: handoff_rules[0].condition: unknown filter \"uper\", did you mean \"upper\"?"},
        {"handoff_rules:\n- from_agent: a\n  to_agent: b\n  condition: agent.nme == 'a'\n",
         "teams/t.yaml:9:20: handoff_rules[0].condition: agent has no \"nme\", did you mean \"name\"?"},
        {"execution_config:\n  success_criteria: ['expr: state.done', 'The text is short.']\n", ""},
        {"execution_config:\n  success_criteria: ['expr: broken(((', \"A sentence (((\"]\n",
         "teams/t.yaml:7:38: execution_config.success_criteria[0]: a value is expected here, not the end"},
        {"execution_config:\n  failure_criteria:\n  - expr: agnt.name == 'a'\n",
         "teams/t.yaml:8:5: execution_config.failure_criteria[0]: must be text, is an object"},
        {"execution_config:\n  failure_criteria:\n  - 'expr: agnt.name == 1'\n",
         "teams/t.yaml:8:12: execution_config.failure_criteria[0]: \"agnt\" is not defined, did you mean \"agent\"?"},
        {"execution_config:\n  breakpoints: ['condition:tokens > 1000 or cost>=0.5', a]\n", ""},
        {"execution_config:\n  breakpoints: ['condition: token > 1000']\n",
         "teams/t.yaml:7:29: execution_config.breakpoints[0]: \"token\" is not defined, did you mean \"tokens\"?"},
        {"execution_config:\n  breakpoints: ['condition:']\n",
         "teams/t.yaml:7:28: execution_config.breakpoints[0]: a value is expected here, not the end"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.more);
        CHECK(said_of(c.more) == c.says);
    }
}

TEST_CASE("a condition that a variable gave is not told")
{
    const Project project(
        {{"cadre.yaml", "version: 1.0.0\n"},
         {"teams/t.yaml", kTeam + "handoff_rules: [{from_agent: a, to_agent: b, condition: \"${WHEN}\"}]\n"}});
    const std::string said = project.checked({}, "", {{"WHEN", "hush_hush >"}});
    CHECK(said.find("teams/t.yaml:6:57: handoff_rules[0].condition:") == 0);
    CHECK(said.find("hush_hush") == std::string::npos);
}

TEST_CASE("a team file does not hold its templates")
{
    CHECK(said_of("templates: {a.j2: Hello}\n") ==
          "teams/t.yaml:6:12: templates: is not for files: put each template into one, and name that in "
          "prompt_template");
}

TEST_CASE("a character of a text is found in its file, however the text is written")
{
    struct {
        std::string_view file;
        Position at;
        std::string_view text;
        Position wanted, found;
    } const cases[] = {
        {"a: b c\n", {1, 4}, "b c", {1, 3}, {1, 6}},
        {"a: 'b c'\n", {1, 4}, "b c", {1, 3}, {1, 7}},
        {"a: \"é c\"\n", {1, 4}, "é c", {1, 3}, {1, 7}},
        {"a: \"\\u00e9 c\"\n", {1, 4}, "é c", {1, 3}, {1, 4}},  // an escape: only the whole is known
        {"a: |\n  b\n  c d\n", {1, 4}, "b\nc d\n", {2, 3}, {3, 5}},
        {"a: |\n  b\n    c d\n", {1, 4}, "b\n  c d\n", {2, 3}, {3, 5}},
        {"a: >\n  b\n  c d\n", {1, 4}, "b c d\n", {1, 3}, {1, 4}},
        {"a: b\n  c\n", {1, 4}, "b c", {1, 3}, {1, 4}},
        {"a: b", {1, 4}, "b", {1, 2}, {1, 5}},
        {"", {4, 4}, "b", {1, 2}, {4, 4}},
    };
    for (const auto& c : cases) {
        CAPTURE(c.file);
        CHECK(position_in_text({c.file, c.at, c.text}, c.wanted) == c.found);
    }
}
