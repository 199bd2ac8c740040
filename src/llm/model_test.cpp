#include "llm/model.hpp"

#include "base/json.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <set>

using namespace cadre;
using namespace cadre::llm;

namespace {

model::ToolCall call(std::string_view args)
{
    return {.id = "tc_1", .tool_name = "add", .args = parse_json(args).as_object()};
}

}  // namespace

TEST_CASE("a message's digest is the same for ever: journals hold it")
{
    CHECK(to_hex(digest_of(Message{.text = "What is 2+3?"})) == "affb4ed0101a5acc5e4cc56edcdad2bb");
    const Message calls{.role = model::Role::assistant, .text = "Let me see.", .calls = {call(R"({"b":3.0,"a":"é"})")}};
    CHECK(to_hex(digest_of(calls)) == "b630d35b4c9d07e117ccc2c0c68542d2");
    CHECK(to_hex(digest_of(Message{.role = model::Role::tool, .text = "5", .call_id = "tc_1"})) ==
          "adeb114941e6acdf4e5eeb6cdac0743a");
}

TEST_CASE("a message's digest covers every field, and only what a field means")
{
    model::ToolCall typed = call("{}"), timed = call("{}"), retried = call("{}"), other = call("{}"),
                    named = call("{}");
    typed.expected_output_type = "";
    timed.timeout = 0;
    retried.retry_policy = json::object();
    other.id = "tc_2";
    named.tool_name = "ad";
    const Message messages[] = {
        {},
        {.role = model::Role::assistant},
        {.role = model::Role::tool},
        {.role = model::Role::system},
        {.text = "a"},
        {.text = "1:a"},
        {.call_id = "a"},
        {.is_error = true},
        {.calls = {call("{}")}},
        {.calls = {call("{}"), call("{}")}},
        {.calls = {call(R"({"a":1})")}},
        {.calls = {call(R"({"a":"1"})")}},
        {.calls = {typed}},
        {.calls = {timed}},
        {.calls = {retried}},
        {.calls = {other}},
        {.calls = {named}},
    };
    std::set<Digest> digests;
    for (const Message& message : messages) digests.insert(digest_of(message));
    CHECK(digests.size() == std::size(messages));

    const Message one{.calls = {call(R"({"a":1,"b":2})")}}, same{.calls = {call(R"({"b":2.0,"a":1})")}};
    CHECK(digest_of(one) == digest_of(same));
}

TEST_CASE("usage adds up field by field")
{
    Usage sum{.input = 1, .output = 2, .cached = 3, .reasoning = 4, .cost = 0.5};
    sum += Usage{.input = 10, .output = 20, .cached = 30, .reasoning = 40, .cost = 0.25};
    CHECK(sum == Usage{.input = 11, .output = 22, .cached = 33, .reasoning = 44, .cost = 0.75});
}
