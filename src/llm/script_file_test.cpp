#include "llm/script.hpp"
#include "llm/script_entry.hpp"
#include "support/entity_rules.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace cadre;
using namespace cadre::llm;
using cadre::test::error_of;

TEST_CASE("a script's entries are described: each example reads, and has a schema and a page")
{
    const model::Entity* const entities[] = {
        &test::description_of<ScriptCondition>(), &test::description_of<ScriptCall>(),
        &test::description_of<ScriptUsage>(),     &test::description_of<ScriptFailure>(),
        &test::description_of<ScriptFault>(),     &test::description_of<ScriptEntry>()};
    test::check_examples(entities);
}

TEST_CASE("whatever is wrong with a script is said with its place, all at once")
{
    struct {
        const char* name;
        const char* text;
        const char* says;
    } const cases[] = {
        {"no list", "text: a", "invalid: s.yaml:1:1: must be a list of entries, each beginning with `- `"},
        {"nothing", "", "malformed: s.yaml:1:1: the file is empty"},
        {"no YAML", "- [", "malformed: s.yaml:"},
        {"twice", "- text: a\n  text: b\n  whne: {}", "malformed: s.yaml:2:3: "},
        {"not UTF-8", "- text: \xff", "malformed: s.yaml:1:9: bytes that are not UTF-8"},
        {"no entry", "- 5", "s.yaml:1:3: [0]: must be an object, is a number"},
        {"misspelt", "- text: a\n- txet: b",
         "s.yaml:2:3: [1].txet: is not a field of script_entry, did you mean \"text\"?"},
        {"condition", "- {text: a, when: {nht: 1}}",
         "s.yaml:1:20: [0].when.nht: is not a field of script_condition, did you mean \"nth\"?"},
        {"several", "- {text: a, times: 0}\n- {text: b, times: often}\n- delay_ms: -1",
         "s.yaml:1:20: [0].times: must be a number from 1 on, or any\n"
         "s.yaml:2:20: [1].times: must be a number from 1 on, or any\n"
         "s.yaml:3:3: [2]: answers nothing; give text, json, tool_calls, fail or stall_ms\n"
         "s.yaml:3:13: [2].delay_ms: must be at least 0, is -1"},
        {"no answer", "- when: {agent: a}",
         "s.yaml:1:3: [0]: answers nothing; give text, json, tool_calls, fail or stall_ms"},
        {"number", "- text: 5", "s.yaml:1:9: [0].text: must be text, is a number"},
        {"nth", "- {text: a, when: {nth: 0}}", "[0].when.nth: must be at least 1, is 0"},
        {"call", "- tool_calls: [{arguments: {}}]", "[0].tool_calls[0].name: is required"},
        {"arguments", "- tool_calls: [{name: a, arguments: [1]}]",
         "[0].tool_calls[0].arguments: must be an object, is a list"},
        {"status", "- fail: {status: 200}", "[0].fail.status: must be at least 400, is 200"},
        {"both", "- {text: a, json: {}}", "[0].json: cannot stand beside text"},
        {"text and fail", "- {text: a, fail: {status: 500}}", "[0].fail: cannot stand beside an answer"},
        {"text and stall", "- {text: a, stall_ms: 5}", "[0].stall_ms: cannot stand beside an answer"},
        {"fail and stall", "- {stall_ms: 5, fail: {status: 500}}", "[0].stall_ms: cannot stand beside fail"},
        {"stall without end", "- {text: a, broken: {how: stall}}", "[0].broken.ms: is required: how long it lasts"},
        {"cut that lasts", "- {text: a, broken: {how: cut, ms: 5}}", "[0].broken.ms: is how long a stall lasts"},
        {"two cuts", "- {text: a, truncate_after: 1, broken: {how: cut}}",
         "[0].broken: cannot stand beside truncate_after"},
        {"nothing to spoil", "- {fail: {status: 500}, broken: {how: cut}}",
         "[0].broken: needs the answer that it spoils"},
        {"no such break", "- {text: a, broken: {how: bend}}", "[0].broken.how: \"bend\" is none of cut, stall"},
        {"thoughts alone", "- {stall_ms: 5, reasoning: a}", "[0].reasoning: needs an answer after it"},
        {"header", "- {text: a, headers: {\"x y\": z}}", "[0].headers.x y: is not a header that can be sent"},
        {"chunks", "- {text: a, chunks: 0}", "[0].chunks: must be at least 1, is 0"},
        {"chunks of what", "- {tool_calls: [{name: a}], chunks: 2}",
         "[0].chunks: needs the text, or json, that it divides"},
        {"pieces", "- {text: abc, chunks: [ab, d]}", "[0].chunks: must make the text when they are put together"},
        {"no pieces", "- {text: abc, chunks: [1]}", "[0].chunks: must be the number of pieces, or a list of texts"},
        {"cut what", "- {stall_ms: 1, truncate_after: 2}", "[0].truncate_after: needs the text that it cuts"},
        {"usage", "- {text: a, usage: {input: 1, cached: 2}}", "[0].usage.cached: is part of input, so at most that"},
        {"usage of what", "- {stall_ms: 1, usage: {input: 1}}", "[0].usage: needs an answer: what fails has none"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        CHECK(error_of([&] { ScriptModel::from_text(c.text, "s.yaml"); }) == doctest::Contains(c.says));
    }
}

TEST_CASE("a script may be JSON, and is read from a file")
{
    const auto folder = std::filesystem::temp_directory_path() / ("cadre_script_test_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const auto file = folder / "s.json";
    std::ofstream(file) << R"([{"text": "a"}])";
    CHECK(ScriptModel::from_file(file)->spec() == "script:" + file.string());
    std::ofstream(file) << "- text: a";
    CHECK(error_of([&] { ScriptModel::from_file(file); }) == doctest::Contains("malformed: "));
    std::filesystem::remove_all(folder);
    CHECK(error_of([&] { ScriptModel::from_file(file); }) ==
          ("not_found: the script " + file.string() + " does not exist").c_str());
    CHECK(error_of([&] { ScriptModel::from_file("/dev/null"); }) == doctest::Contains("cannot be read"));
}
