#include "model/calls.hpp"

#include "base/json.hpp"
#include "model/decision.hpp"
#include "model/reply.hpp"
#include "model/session.hpp"
#include "support/entity.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;

namespace {

Call done(CallStatus status = CallStatus::completed)
{
    return {.tool = "t", .status = status};
}

}  // namespace

TEST_CASE("a call's outcome and times fit its status")
{
    CHECK(problems_with<Call>("status", "\"pending\"") == "status: must be a final one when there is an outcome");
    CHECK(problems_with<Call>("completed_at", "\"2025-11-02T10:30:04Z\"") ==
          "completed_at: must not be before started_at");
    CHECK(problems_with<Call>("started_at", "null") == "started_at: is required once completed_at is known");
    CHECK(problems_with<Call>("args", "[]") == "args: must be an object, is a list");
    CHECK(problems_with<Call>("status", "\"done\"") ==
          "status: \"done\" is none of pending, in_progress, completed, failed, timeout");
    CHECK(duration_ms(from_text<Call>(description_of<Call>().example)) == 7000);
}

TEST_CASE("a result that is no dict is wrapped for those who show dicts, and unwrapped again")
{
    for (const char* text : {R"({"a":1})", "[1,2]", "\"text\"", "3", "true", "null"}) {
        CAPTURE(text);
        const json::value value = parse_json(text);
        CHECK(from_dict(as_dict(value)) == value);
    }
    CHECK(to_text(as_dict(json::value("x"))) == R"({"value":"x"})");
}

TEST_CASE("a call becomes two parts of steps, and is put together again from them")
{
    Call call = from_text<Call>(description_of<Call>().example);
    const Step asked{.id = "s1", .parts = {ToolCallPart{tool_call_of(call)}}, .at = *call.started_at};
    const Step told{.id = "s2", .parts = {ToolResultPart{tool_result_of(call)}}, .at = *call.completed_at};
    CHECK(tool_call_of(call).id == "tc_7c9e6679742540de944be07fc1f90ae7");
    CHECK(tool_result_of(call).tool_call_id == tool_call_of(call).id);
    CHECK(tool_result_of(call).result == R"({"hits":3})");
    Dict<std::string> servers;
    servers["search"] = "web";
    const Step history[] = {asked, told};
    CHECK(calls_of(history, servers) == std::vector<Call>{call});

    ToolResult late = tool_result_of(call);
    late.error = "timeout after 1 s";
    const Step again[] = {asked, told, {.id = "s3", .parts = {ToolResultPart{late}}, .at = *call.completed_at}};
    CHECK(calls_of(again, servers) == std::vector<Call>{call});  // completed is final

    call.result = json::value("plain text stays as it is");
    CHECK(tool_result_of(call).result == "plain text stays as it is");
    const auto waiting = calls_of({&asked, 1}, servers);
    CHECK(waiting.at(0).status == CallStatus::pending);
}

TEST_CASE("a call that took too long says so in the words of every document")
{
    Call call = from_text<Call>(description_of<Call>().example);
    call.status = CallStatus::timeout;
    call.result.reset();
    call.exit_code = 9;
    const ToolResult result = tool_result_of(call);
    CHECK(result.error == "timeout after 30 s");
    CHECK(!result.exit_code);
    const Step history[] = {{.parts = {ToolCallPart{tool_call_of(call)}}}, {.parts = {ToolResultPart{result}}}};
    CHECK(calls_of(history).at(0).status == CallStatus::timeout);
}

TEST_CASE("a foreign call id stays as it is")
{
    CHECK(uuid_of("tc_123456") == "tc_123456");
    CHECK(uuid_of("tc_7c9e6679742540de944be07fc1f90ae7") == "7c9e6679-7425-40de-944b-e07fc1f90ae7");
    CHECK(tool_call_of({.id = "call_abc"}).id == "call_abc");
}

TEST_CASE("confidence follows from how many calls completed")
{
    using enum CallStatus;
    const std::vector<Call> none, all{done(), done()}, half{done(), done(failed)},
        third{done(), done(timeout), done(failed)};
    CHECK(confidence_of(none) == Confidence::high);
    CHECK(confidence_of(all) == Confidence::high);
    CHECK(confidence_of(half) == Confidence::medium);
    CHECK(confidence_of(third) == Confidence::low);
    CHECK(!is_partial(all));
    CHECK(is_partial(half));
    CHECK(problems_with<Reply>("ok", "false") == "error: is required when ok is false");
}

TEST_CASE("a decision asks back when the router says so or is not sure")
{
    CHECK(needs_clarification({.confidence = 0.69}));
    CHECK(!needs_clarification({.confidence = 0.7}));
    CHECK(needs_clarification({.confidence = 1, .clarify = true}));
    CHECK(!needs_clarification({.confidence = 0.5}, 0.4));
    CHECK(problems_with<Decision>("targets", "[]") == "targets: must not be empty unless clarify is true");
    CHECK(problems_with<Decision>("confidence", "1.1") == "confidence: must be at most 1, is 1.1");
    CHECK(problems_with<Decision>("target_kind", "\"team\"") == "target_kind: \"team\" is none of agent, domain");
}

TEST_CASE("a session does not end before it begins")
{
    CHECK(problems_with<Session>("updated_at", "\"2025-11-02T10:29:59Z\"") ==
          "updated_at: must not be before created_at");
    CHECK(problems_with<Session>("id", "\"abc\"") == "id: \"abc\" is not a UUID of version 4");
}
