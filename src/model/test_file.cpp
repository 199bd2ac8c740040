#include "model/test_file.hpp"

#include "model/describe.hpp"
#include "model/descriptions.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::model {

namespace {

namespace json = boost::json;

constexpr double kMaxSeconds = 24 * 3600;

bool is_words(const json::value& value)
{
    return value.is_string() && !value.get_string().empty();
}

void check_contains(const TextMatch& match, const Path& path, Problems& problems)
{
    const json::array* list = match.contains.if_array();
    if (match.contains.is_null() || is_words(match.contains)) return;
    if (!list || !std::ranges::all_of(*list, is_words))
        problems.add(Path(path, "contains"), "must be a text, or a list of texts, and none of them empty");
}

/// `answer: Done.` is short for `answer: {equals: Done.}`.
bool accept_text(const json::value& given, json::value& plain)
{
    if (!given.is_string()) return false;
    plain = json::object{{"equals", given}};
    return true;
}

}  // namespace

const Entity& describe(const TextMatch*)
{
    static const Entity entity{
        .name = "text_match",
        .doc = "What a text should be: all that is given must hold. A text alone is short for `equals`.",
        .fields = {field("equals", &TextMatch::equals, "The whole text; line breaks at its end do not count."),
                   field("contains", &TextMatch::contains,
                         "A text that must be in it, or a list of them; case counts."),
                   field("matches", &TextMatch::matches,
                         "A regular expression that must match somewhere in it; `^` and `$` make it the whole text.",
                         {.min_length = 1}),
                   field("schema", &TextMatch::schema, "The text must be JSON that this JSON Schema accepts.")},
        .dialect = {.writes_null = false},
        .checks = {check<TextMatch>(
            {"contains"}, "`contains` is a text or a list of texts.", check_contains,
            R"({"properties":{"contains":{"anyOf":[{"type":"null"},{"type":"string","minLength":1},
                {"type":"array","items":{"type":"string","minLength":1}}]}}})")},
        .example = R"({"contains":["order 17","three days"],"matches":"^Order [0-9]+"})",
        .accept = accept_text,
        .other_form = R"({"type":"string"})"};
    return entity;
}

std::span<const EnumName> names_of(const TestVerb*)
{
    static constexpr EnumName names[] = {
        {int(TestVerb::approve), "approve"}, {int(TestVerb::reject), "reject"}, {int(TestVerb::modify), "modify"}};
    return names;
}

const Entity& describe(const TestAnswer*)
{
    static const Entity entity{
        .name = "test_answer",
        .doc = "What a person answers when the task asks. Each is used once, and must be used.",
        .fields = {field("question", &TestAnswer::question,
                         "Words in what is asked, or in the name or arguments of the tool that wants an approval; left "
                         "out: any question.",
                         {.min_length = 1}),
                   field("verb", &TestAnswer::verb,
                         "An approval is given with `approve`, refused with `reject`, and given with other arguments "
                         "with `modify`; left out: it is an answer to a question."),
                   field("answer", &TestAnswer::answer, "What the person says."),
                   field("arguments", &TestAnswer::arguments, "modify: what the tool is called with instead."),
                   field("state", &TestAnswer::state,
                         "modify: fields of the workflow's state, and what they become; `routing_key` is one.")},
        .dialect = {.writes_null = false},
        .demands = {{.when = {is("verb", {"modify"}), !given("state")},
                     .then = given("arguments"),
                     .says = "is required with modify, or state"},
                    {.when = {given("arguments")},
                     .then = is("verb", {"modify"}),
                     .says = "must be modify with arguments"},
                    {.when = {given("state")}, .then = is("verb", {"modify"}), .says = "must be modify with state"},
                    {.when = {given("state")}, .then = !given("arguments"), .says = "cannot stand beside state"},
                    {.when = {!given("verb")}, .then = given("answer"), .says = "is required, or a verb"}},
        .example = R"({"question":"Which colour?","answer":"blue"})"};
    return entity;
}

const Entity& describe(const TestTool*)
{
    static const Entity entity{
        .name = "test_tool",
        .doc = "What a tool answers instead of being called. The first in the list that fits a call answers it.",
        .fields = {field("name", &TestTool::name, "Name of the tool.", {.required = true, .min_length = 1}),
                   field("args", &TestTool::args, "Only calls with these arguments; others beside them do not matter."),
                   field("result", &TestTool::result, "What it answers: a text, or JSON."),
                   field("error", &TestTool::error, "It fails, and says this.", {.min_length = 1})},
        .dialect = {.writes_null = false},
        .demands = {{.when = {!given("error")}, .then = given("result"), .says = "is required, or an error"},
                    {.when = {given("error")}, .then = !given("result"), .says = "cannot stand beside error"}},
        .example = R"({"name":"send_mail","args":{"to":"ann@example.org"},"result":"sent"})"};
    return entity;
}

const Entity& describe(const TestFault*)
{
    static const Entity entity{
        .name = "test_fault",
        .doc = "Something that goes wrong: a tool's call (`tool`), a model's (`status`), or the process (`restart`). "
               "Afterwards it "
               "works.",
        .fields = {field("tool", &TestFault::tool, "Name of a tool whose calls fail.", {.min_length = 1}),
                   field("error", &TestFault::error, "What it says then.", {.min_length = 1}),
                   field("status", &TestFault::status,
                         "The model fails with this HTTP status; 408, 429 and 500 to 599 are tried again.",
                         {.min = 400, .max = 599}),
                   field("agent", &TestFault::agent, "Whose model calls fail; left out: anybody's.", {.min_length = 1}),
                   field("nth", &TestFault::nth,
                         "Which model call of the agent, the first being 1; left out: the next.", {.min = 1}),
                   field("restart", &TestFault::restart,
                         "After so many events the process that runs the task stops, when the current step is done, "
                         "and another "
                         "one resumes it.",
                         {.min = 1}),
                   field("times", &TestFault::times, "How often; a restart each time after so many events more.",
                         {.min = 1, .max = 1000})},
        .dialect = {.writes_null = false},
        .demands = {{.when = {!given("tool"), !given("restart")},
                     .then = given("status"),
                     .says = "is required, or a tool, or restart"},
                    {.when = {given("restart")}, .then = !given("tool"), .says = "cannot stand beside restart"},
                    {.when = {given("restart")}, .then = !given("status"), .says = "cannot stand beside restart"},
                    {.when = {given("restart")}, .then = !given("error"), .says = "cannot stand beside restart"},
                    {.when = {given("restart")}, .then = !given("agent"), .says = "cannot stand beside restart"},
                    {.when = {given("restart")}, .then = !given("nth"), .says = "cannot stand beside restart"},
                    {.when = {given("tool")}, .then = !given("status"), .says = "is a model's, so not beside tool"},
                    {.when = {given("tool")}, .then = !given("agent"), .says = "is a model's, so not beside tool"},
                    {.when = {given("tool")}, .then = !given("nth"), .says = "is a model's, so not beside tool"}},
        .example = R"({"tool":"search","error":"the index is being built","times":2})"};
    return entity;
}

const Entity& describe(const TestCall*)
{
    static const Entity entity{
        .name = "test_call",
        .doc = "A tool call that is expected.",
        .fields = {field("tool", &TestCall::tool, "Name of the tool.", {.required = true, .min_length = 1}),
                   field("args", &TestCall::args, "Arguments that it must have; others beside them do not matter."),
                   field("agent", &TestCall::agent, "Who made it; left out: anybody.", {.min_length = 1}),
                   field("result", &TestCall::result, "What it should have answered, be it an error."),
                   field("failed", &TestCall::failed, "Whether it should have failed; left out: either.")},
        .dialect = {.writes_null = false},
        .example = R"({"tool":"look_up_order","args":{"number":"17"},"agent":"front_desk","failed":false})"};
    return entity;
}

std::span<const EnumName> names_of(const TestOrder*)
{
    static constexpr EnumName names[] = {
        {int(TestOrder::exact), "exact"}, {int(TestOrder::any), "any"}, {int(TestOrder::among), "among"}};
    return names;
}

const Entity& describe(const TestExpectation*)
{
    static constexpr Rule word{.min_length = 1};
    static const Entity entity{
        .name = "test_expectation",
        .doc = "What should come of a run. What is left out is not looked at, but for the status.",
        .fields =
            {field("status", &TestExpectation::status, "How the task stands at the end."),
             field("answer", &TestExpectation::answer, "What it answers."),
             field("error", &TestExpectation::error, "Why it failed."),
             field("calls", &TestExpectation::calls, "Tool calls; an empty list: none at all."),
             field("order", &TestExpectation::order,
                   "`exact`: these calls in this order, and no others. `any`: these and no others, in any order. "
                   "`among`: these in this order, others may come before, between and after."),
             field("events", &TestExpectation::events,
                   "Types of events, such as `hitl_request`, that come in this order; others may come between them.",
                   {.items = &word}),
             field("files", &TestExpectation::files, "Files that tools have written, by their paths."),
             field("state", &TestExpectation::state,
                   "Fields of the workflow's state at the end, and what they hold: `routing_key`, `next_action` or one "
                   "that it declares. Members of objects that are left out do not matter."),
             field("max_cost", &TestExpectation::max_cost, "US dollars for all model calls at most.", {.min = 0}),
             field("max_tokens", &TestExpectation::max_tokens, "Tokens of all model calls at most.", {.min = 0}),
             field("max_steps", &TestExpectation::max_steps, "Model calls at most.", {.min = 0}),
             field("max_calls", &TestExpectation::max_calls, "Tool calls at most.", {.min = 0})},
        .dialect = {.writes_null = false},
        .example = R"({"status":"completed","answer":{"contains":"on its way"},
"calls":[{"tool":"search"},{"tool":"look_up_order","args":{"number":"17"}}],"order":"any",
"events":["tool_call","tool_result","task_complete"],"files":{"report.md":{"contains":"May"}},
"state":{"approved":true},
"max_cost":0.01,"max_tokens":5000,"max_steps":3,"max_calls":2})"};
    return entity;
}

const Entity& describe(const TestCase*)
{
    static const Entity entity{
        .name = "test_case",
        .doc = "One run and what is expected of it.",
        .fields =
            {field("name", &TestCase::name, "What it shows; unique in its file.",
                   {.required = true, .min_length = 1, .max_length = 200}),
             field("run", &TestCase::run,
                   "What is run: a file, as seen from this one, or the name of a team or an agent; left out: the file "
                   "beside which this one stands.",
                   {.min_length = 1}),
             field("agent", &TestCase::agent, "The agent that begins; left out: the first.", {.min_length = 1}),
             field("pattern", &TestCase::pattern,
                   "How the team begins: one of its collaboration patterns, or `plan`; left out: as the team says.",
                   {.min_length = 1}),
             field("input", &TestCase::input, "What the task is asked to do.", {.required = true, .min_length = 1}),
             field("inputs", &TestCase::inputs,
                   "Of a workflow: what fields of its state begin with, as with `run --input`."),
             field("model", &TestCase::model,
                   "Who answers in place of every model: `script:FILE` or `replay:FILE`, as seen from this file, or a "
                   "model with its provider, which is then really asked; left out: who is configured, if that is a "
                   "script.",
                   {.min_length = 1}),
             field("script", &TestCase::script,
                   "The same, with its entries here: see [scripted models](../../guide/scripted-models.md).",
                   {.min_length = 1}),
             field("mode", &TestCase::mode, "How it runs; left out: as configured."),
             field("budget", &TestCase::budget, "Limits, such as `20000tokens,5m`, over those that are configured.",
                   {.min_length = 1}),
             field("answers", &TestCase::answers, "What people answer; a question that none fits is left open."),
             field("tools", &TestCase::tools, "Tools that are not called, and what they answer instead."),
             field("faults", &TestCase::faults, "What goes wrong."),
             field("timeout", &TestCase::timeout, "Seconds that it may take.", {.max = kMaxSeconds, .above = 0}),
             field("expect", &TestCase::expect, "What should come of it; left out: that it completes.")},
        .dialect = {.writes_null = false},
        .demands = {{.when = {given("script")}, .then = !given("model"), .says = "cannot stand beside script"}},
        .example =
            R"({"name":"finds the order","run":"support.yaml","agent":"front_desk","pattern":"plan","input":"Where is order 17?",
"inputs":{"customer":"Ann"},
"script":[{"tool_calls":[{"name":"look_up_order","arguments":{"number":"17"}}]},{"text":"It is on its way."}],
"mode":"hitl","budget":"20000tokens","answers":[{"question":"look_up_order","verb":"approve"}],
"tools":[{"name":"look_up_order","result":"shipped"}],"faults":[{"status":429}],"timeout":10,
"expect":{"answer":"It is on its way.","calls":[{"tool":"look_up_order"}]}})"};
    return entity;
}

const Entity& describe(const TestFile*)
{
    static const Entity entity{
        .name = "test",
        .doc = "Tests of a team, an agent or a workflow, which `test` runs.",
        .fields = {field("test", &TestFile::test, "A name for all of them; left out: that of the file.",
                         {.min_length = 1, .max_length = 200}),
                   field("cases", &TestFile::cases, "The tests.", {.required = true, .min_length = 1})},
        .home = {Home::Kind::yaml_file, "`NAME.test.yaml` beside `NAME.yaml`"},
        .dialect = {.writes_null = false},
        .example = R"({"test":"support","cases":[{"name":"finds the order","input":"Where is order 17?",
"script":[{"text":"It is on its way."}],"expect":{"answer":{"contains":"on its way"},"calls":[]}}]})"};
    return entity;
}

std::vector<const Entity*> test_entities()
{
    return descriptions<TestFile, TestCase, TestAnswer, TestTool, TestFault, TestExpectation, TestCall, TextMatch>();
}

}  // namespace cadre::model
