#include "llm/mock/dialect.hpp"

#include "base/json.hpp"
#include "support/error_of.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <string>

using namespace cadre;
using namespace cadre::llm;
using namespace cadre::llm::mock;
using cadre::test::error_of;

namespace {

auto refusal(const Dialect& dialect, const std::string& body)
{
    return error_of([&] { dialect.read(parse_json(body)); });
}

}  // namespace

TEST_CASE("an OpenAI request is read into the script's terms")
{
    const Asked asked = openai.read(parse_json(R"({"model":"m","stream":true,"stream_options":{"include_usage":true},
        "unknown":1,"temperature":0.5,"tools":[{"type":"function","function":{"name":"t","parameters":{"type":"object"}}}],
        "messages":[{"role":"developer","content":"Be kind."},{"role":"user","content":[{"type":"text","text":"a"},
        {"type":"image_url","image_url":{"url":"data:x"}},{"type":"text","text":"b"}]},
        {"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"t","arguments":"{\"x\":1}"}},
        {"id":"c2","type":"function","function":{"name":"t","arguments":""}}]},
        {"role":"tool","tool_call_id":"c2","content":"two"},{"role":"tool","tool_call_id":"c1","content":"one"}]})"));
    CHECK(asked.stream);
    CHECK(asked.stream_usage);
    CHECK(asked.request.agent == "m");
    CHECK(asked.request.nth == 2);
    CHECK(asked.request.instructions == "Be kind.");
    REQUIRE(asked.request.messages.size() == 4);
    CHECK(asked.request.messages[0]->text == "ab");
    CHECK(asked.request.messages[0]->images.size() == 1);
    CHECK(asked.request.messages[1]->calls[0].args.at("x").as_int64() == 1);
    CHECK(asked.request.messages[2]->text == "two");
    CHECK(asked.request.tools->at(0).input_schema == R"({"type":"object"})");
}

TEST_CASE("an Anthropic request is read into the script's terms")
{
    const Asked asked =
        anthropic.read(parse_json(R"({"model":"m","max_tokens":10,"system":[{"type":"text","text":"Be kind."}],
        "metadata":{"user_id":"ann"},"tools":[{"name":"t","input_schema":{}}],
        "messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"text","text":"b"},
        {"type":"tool_use","id":"c1","name":"t","input":{"x":1}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,
        "content":[{"type":"text","text":"no"}]},{"type":"text","text":"go on"}]}]})"));
    CHECK(asked.request.agent == "ann");
    CHECK(asked.request.nth == 2);
    CHECK(asked.request.options.max_tokens == 10);
    REQUIRE(asked.request.messages.size() == 4);
    CHECK(*asked.request.messages[2] ==
          Message{.role = model::Role::tool, .text = "no", .call_id = "c1", .is_error = true});
    CHECK(asked.request.messages[3]->text == "go on");
}

TEST_CASE("what a vendor refuses is refused, and named")
{
    struct {
        const Dialect& dialect;
        const char* body;
        const char* says;
    } const cases[] = {
        {openai, "[]", "the body: must be an object"},
        {openai, R"({"messages":[]})", "model: is required"},
        {openai, R"({"model":"m"})", "messages: is required"},
        {openai, R"({"model":"m","messages":[]})", "messages: must have at least one message"},
        {openai, R"({"model":"m","messages":[5]})", "messages.0: must be an object"},
        {openai, R"({"model":"m","messages":[{"role":"user","content":[{"text":"a"}]}]})",
         "messages.0.content.0.type: is required"},
        {openai,
         R"({"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"t","arguments":"[]"}}]}]})",
         "function.arguments: must be an object"},
        {openai,
         R"({"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"t","arguments":"{}"}}]},{"role":"user","content":"x"}]})",
         "did not have response messages: c"},
        {anthropic, R"({"model":"m","messages":[{"role":"system","content":"x"}]})",
         "messages.0.role: must be 'user' or 'assistant'"},
        {anthropic, R"({"model":"m","max_tokens":0,"messages":[{"role":"user","content":"x"}]})",
         "max_tokens: must be a number from 1 on"},
        {anthropic,
         R"({"model":"m","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c"}]}]})",
         "unexpected `tool_use_id` found in `tool_result` blocks: c"},
        {anthropic,
         R"({"model":"m","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"t","input":{}}]},{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"c"}]}]})",
         "must come before all others"},
        {anthropic,
         R"({"model":"m","messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"b"}]}]})",
         "Invalid `signature` in `thinking` block"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.body);
        CHECK(refusal(c.dialect, c.body) == doctest::Contains(c.says));
    }
}

TEST_CASE("a stream says what the whole answer says, in valid JSON")
{
    const Told told{.id = "1",
                    .model = "m",
                    .completion = {.text = "ab\"c\n",
                                   .calls = {{.tool_name = "t", .args = {{"city", "Zürich"}}}},
                                   .usage = {.input = 5, .output = 3},
                                   .finish_reason = "tool_calls",
                                   .reasoning = "hm"},
                    .pieces = {"ab\"", "c\n"},
                    .stream_usage = true};
    for (const Dialect* dialect : {&openai, &anthropic}) {
        CAPTURE(dialect->name);
        parse_json(dialect->whole(told));
        std::size_t pieces = 0;
        for (const Event& event : dialect->stream(told)) {
            CHECK(event.data.find('\n') == event.data.npos);
            if (event.data != "[DONE]") CHECK(parse_json(event.data).is_object());
            pieces += event.part == Event::Part::piece;
        }
        CHECK(pieces >= 4);
        parse_json(dialect->error(429, "a \"b\"", "req_1"));
        parse_json(dialect->stream_error("x").data);
    }
}
