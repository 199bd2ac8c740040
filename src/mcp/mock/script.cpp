#include "mcp/mock/script.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "config/document.hpp"
#include "config/read_into.hpp"
#include "model/describe.hpp"
#include "schema/schema.hpp"

#include <boost/json.hpp>

#include <set>

namespace cadre::mcp::mock {

namespace {

using model::field;
using model::Path;
using model::Problems;

constexpr double kLongestDelay = 24.0 * 3600 * 1000;

void check_answer(const Answer& answer, const Path& path, Problems& problems)
{
    const std::int64_t* count = answer.times.if_int64();
    const json::string* word = answer.times.if_string();
    if (count ? *count < 1 : !word || *word != "any")
        problems.add(Path(path, "times"), "must be a number from 1 on, or any");
    const int ways = answer.text.has_value() + answer.json.has_value() + answer.error.has_value() +
                     answer.fail.has_value() + answer.stall + answer.crash;
    if (ways == 0) problems.add(path, "answers nothing; give text, json, error, fail, stall or crash");
    if (ways > 1)
        problems.add(path, "answers in more than one way; give one of text, json, error, fail, stall and crash");
    const bool speaks = !answer.stall && !answer.crash;
    if (answer.duplicate && !speaks) problems.add(Path(path, "duplicate"), "needs the answer that comes twice");
    if (answer.wrong_id && !speaks) problems.add(Path(path, "wrong_id"), "needs the answer that has it");
    if (answer.noise.find('\n') != std::string::npos) problems.add(Path(path, "noise"), "must be one line");
}

void check_tool(const ScriptTool& tool, const Path& path, Problems& problems)
{
    try {
        schema::Schema::compile(tool.input_schema);
    } catch (const Error& error) {
        problems.add(Path(path, "input_schema"), error.what());
    }
}

void check_names(const Script& script, const Path& path, Problems& problems)
{
    std::set<std::string> seen;
    const Path list(path, "tools");
    for (std::size_t i = 0; i < script.tools.size(); ++i)
        if (!seen.insert(script.tools[i].name).second) problems.add(Path(list, i), "has a name that another tool has");
}

}  // namespace

const model::Entity& describe(const Condition*)
{
    static const model::Entity entity{
        .name = "mock_condition",
        .doc = "Which calls an answer is for: all conditions that are given must hold.",
        .fields = {field("contains", &Condition::contains, "Words in the arguments, as JSON text.", {.min_length = 1}),
                   field("nth", &Condition::nth, "Which call of this tool, the first being 1.", {.min = 1}),
                   field("arguments", &Condition::arguments, "Arguments that the call has, among others.")},
        .example = R"({"contains":"Bern","nth":1,"arguments":{"city":"Bern"}})"};
    return entity;
}

const model::Entity& describe(const Failure*)
{
    static const model::Entity entity{
        .name = "mock_failure",
        .doc = "An error of the protocol, in place of a result.",
        .fields = {field("code", &Failure::code, "Its number, such as -32603.", {.required = true}),
                   field("message", &Failure::message, "What it says.")},
        .example = R"({"code":-32603,"message":"out of order"})"};
    return entity;
}

const model::Entity& describe(const Answer*)
{
    static const model::Entity entity{
        .name = "mock_answer",
        .doc = "One answer of a scripted tool, and the calls that it is for.",
        .fields = {field("when", &Answer::when, "Which calls it answers; left out: any."),
                   field("text", &Answer::text, "The result is this text."),
                   field("json", &Answer::json, "The result is this JSON, structured and as text."),
                   field("error", &Answer::error, "The result is an error that says this."),
                   field("fail", &Answer::fail, "The answer is an error of the protocol."),
                   field("stall", &Answer::stall, "No answer ever comes."),
                   field("crash", &Answer::crash, "The server ends in the middle of the call."),
                   field("delay_ms", &Answer::delay_ms, "Milliseconds before the answer, or the crash.",
                         {.min = 0, .max = kLongestDelay}),
                   field("duplicate", &Answer::duplicate, "The answer comes twice."),
                   field("wrong_id", &Answer::wrong_id,
                         "The answer has an id that was never used; none comes with the right one."),
                   field("noise", &Answer::noise, "A line before the answer that is not a message."),
                   field("count", &Answer::count, "The call counts, as one of `counter` does."),
                   field("times", &Answer::times,
                         "How often it must be used; `any`: as often as it matches, or never.")},
        .dialect = {.writes_null = false},
        .checks = {model::check<Answer>(
            {"text", "json", "error", "fail", "stall", "crash", "duplicate", "wrong_id", "noise", "times"},
            "An answer is one of `text`, `json`, `error`, `fail`, `stall` and `crash`; `duplicate` and `wrong_id` need "
            "one "
            "that is said, and `noise` is one line.",
            check_answer)},
        .example =
            R"({"when":{"contains":"Bern","nth":1,"arguments":{"city":"Bern"}},"text":"Sunny.","stall":false,"crash":false,"delay_ms":20,
"duplicate":true,"wrong_id":false,"noise":"Starting …","count":true,"times":2})"};
    return entity;
}

const model::Entity& describe(const Change*)
{
    static const model::Entity entity{
        .name = "mock_change",
        .doc = "A tool that becomes another one while it is used.",
        .fields = {field("after", &Change::after, "After how many calls of it.", {.required = true, .min = 1}),
                   field("description", &Change::description, "What it says of itself from then on.",
                         {.required = true})},
        .example = R"({"after":2,"description":"Weather, and everything else."})"};
    return entity;
}

const model::Entity& describe(const ScriptTool*)
{
    static const model::Entity entity{
        .name = "mock_tool",
        .doc = "A tool of the scripted server.",
        .fields = {field("name", &ScriptTool::name, "Its name; one that is built in is replaced.",
                         {.required = true, .min_length = 1, .max_length = 128}),
                   field("description", &ScriptTool::description, "What it says of itself."),
                   field("input_schema", &ScriptTool::input_schema,
                         "JSON Schema of its arguments; left out: any object."),
                   field("annotations", &ScriptTool::annotations, "Hints such as `readOnlyHint`."),
                   field("answers", &ScriptTool::answers,
                         "What it answers; the first that matches and is not used up."),
                   field("changes", &ScriptTool::changes, "It describes itself differently after some calls.")},
        .dialect = {.writes_null = false},
        .checks = {model::check<ScriptTool>({"input_schema"}, "`input_schema` is a JSON Schema.", check_tool)},
        .example = R"({"name":"weather","description":"Weather of a city.",
"input_schema":{"type":"object","properties":{"city":{"type":"string"}}},"annotations":{"readOnlyHint":true},
"answers":[{"when":{"contains":"Bern","nth":1,"arguments":{"city":"Bern"}},"text":"Sunny.","stall":false,"crash":false,"delay_ms":20,
"duplicate":true,"wrong_id":false,"noise":"Starting …","count":true,"times":2}],
"changes":{"after":2,"description":"Weather, and everything else."}})"};
    return entity;
}

const model::Entity& describe(const Script*)
{
    static const model::Entity entity{
        .name = "mock_script",
        .doc = "What mock-mcp serves.",
        .fields = {field("builtin", &Script::builtin, "Whether the built-in tools are there too."),
                   field("tools", &Script::tools, "The tools.")},
        .checks = {model::check<Script>({"tools"}, "Tools have different names.", check_names)},
        .example = R"({"builtin":false,"tools":[{"name":"weather","description":"Weather of a city.","input_schema":{},
"annotations":{},"answers":[],"changes":{"after":2,"description":"Weather, and everything else."}}]})"};
    return entity;
}

ReadScript read_script(std::string_view text, const std::string& name)
{
    config::Findings findings;
    auto document = config::load(name, text, findings);
    if (!document) throw Error(Code::malformed, findings.text());
    const Code code = findings.errors() > 0 ? Code::malformed : Code::invalid;
    ReadScript read{.name = name};
    config::read_into(document->value, *document, &read.script, describe(&read.script), findings);
    findings.sort();
    if (findings.errors() > 0) throw Error(code, findings.text());
    for (std::size_t i = 0; i < read.script.tools.size(); ++i) {
        std::vector<std::size_t> lines;
        for (std::size_t j = 0; j < read.script.tools[i].answers.size(); ++j)
            lines.push_back(document->value_at({"tools", i, "answers", j}).line);
        read.lines.push_back(std::move(lines));
    }
    return read;
}

}  // namespace cadre::mcp::mock
