// Streams of Anthropic's Messages.
#include "llm/test_http.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::llm;
using namespace cadre::llm::test;

namespace {

struct Case {
    const char* name;
    const char* body;
    const char* comes;
};

/// Each line is an event's data; its type is its event's name, as the vendor has it.
std::string events(std::string_view lines)
{
    std::string out;
    while (!lines.empty()) {
        const auto newline = lines.find('\n');
        const std::string line(lines.substr(0, newline));
        lines.remove_prefix(newline == lines.npos ? lines.size() : newline + 1);
        const auto begin = line.find("\"type\":\"") + 8;
        out += "event: " + line.substr(begin, line.find('"', begin) - begin) + "\ndata: " + line + "\n\n";
    }
    return out;
}

const std::string kStart =
    R"({"type":"message_start","message":{"id":"msg_1","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[],"stop_reason":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":4,"cache_read_input_tokens":6,"output_tokens":1}}}
)";
const std::string kEnd =
    R"({"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":15}}
{"type":"message_stop"})";
const std::string kToolEnd =
    R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":15}}
{"type":"message_stop"})";

const Case kWhole[] = {
    {"text, a ping and unknown things",
     R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}
{"type":"ping"}
{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}
{"type":"something_new","index":0}
{"type":"content_block_delta","index":0,"delta":{"type":"something_delta","text":"no"}}
{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{}}}
{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}
{"type":"content_block_stop","index":0}
)",
     "Hello |  | stop | 20/15/6/0"},
    {"text in the start of a block",
     R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hi"}}
)",
     "Hi |  | stop | 20/15/6/0"},
    {"two blocks of text", R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}
{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"b"}}
)",
     "ab |  | stop | 20/15/6/0"},
    {"a delta without its start", R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}
{"type":"content_block_delta","index":7,"delta":{"type":"input_json_delta","partial_json":"{"}}
)",
     "Hi |  | stop | 20/15/6/0"},
    {"nothing said", "", " |  | stop | 20/15/6/0"},
};

const Case kCalls[] = {
    {"a call in fragments, the first empty",
     R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Let me."}}
{"type":"content_block_stop","index":0}
{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"add","input":{}}}
{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}
{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\": 1"}}
{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"}"}}
{"type":"content_block_stop","index":1}
)",
     R"(Let me. | add({"a":1})#toolu_1 | tool_calls | 20/15/6/0)"},
    {"two calls, mixed",
     R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"add","input":{}}}
{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t2","name":"files_read","input":{}}}
{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"p\":2}"}}
{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}
)",
     R"( | add({"a":1})#t1 files.read({"p":2})#t2 | tool_calls | 20/15/6/0)"},
    {"no input",
     R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"add","input":{}}}
{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}
)",
     R"( | add({})#t1 | tool_calls | 20/15/6/0)"},
    {"whole input in the start",
     R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"add","input":{"a":1}}}
)",
     R"( | add({"a":1})#t1 | tool_calls | 20/15/6/0)"},
    {"input that is no JSON",
     R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"add","input":{}}}
{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}}
)",
     R"( | add({"_malformed_arguments":"{\"a\"","_problem":"line 1, column 5: the text ends too early"})#t1 | tool_calls | 20/15/6/0)"},
    {"input that is no object",
     R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"add","input":"x"}}
)",
     R"( | add({"_malformed_arguments":"\"x\"","_problem":"an object is wanted, like {}"})#t1 | tool_calls | 20/15/6/0)"},
};

const Case kFailing[] = {
    {"overloaded before any text",
     R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_7"})",
     "upstream!: anthropic is overloaded (status 529): \"Overloaded\" (request req_7)"},
    {"a rate limit in the middle",
     R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hi"}}
{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}})",
     "rate_limited! shown: anthropic is asked too often: \"slow down\""},
    {"cut before any text", R"({"type":"ping"})", "upstream!: the answer of anthropic broke off before its end"},
    {"cut after some text", R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hi"}})",
     "upstream! shown: the answer of anthropic broke off before its end"},
    {"no JSON", R"({"type":"content_block_start",)",
     "malformed!: the answer of anthropic cannot be understood: line 1, column 31: the text ends too early"},
};

}  // namespace

TEST_CASE("Anthropic streams: text and calls, however the bytes are cut")
{
    const Endpoint at = endpoint("anthropic", "claude-sonnet-4-5");
    for (const Case& c : kWhole) {
        CAPTURE(c.name);
        CHECK(outcome_of_text(at, events(kStart + c.body + kEnd)) == c.comes);
    }
    for (const Case& c : kCalls) {
        CAPTURE(c.name);
        CHECK(outcome_of_text(at, events(kStart + c.body + kToolEnd)) == c.comes);
    }
    for (const Case& c : kFailing) {
        CAPTURE(c.name);
        CHECK(outcome_of_text(at, events(kStart + c.body)) == c.comes);
    }
}

TEST_CASE("Anthropic streams: every reason to stop has its name")
{
    const Endpoint at = endpoint("anthropic", "claude-sonnet-4-5");
    struct {
        const char* stop;
        const char* finish;
    } const cases[] = {{"end_turn", "stop"},   {"max_tokens", "length"},  {"stop_sequence", "stop"},
                       {"refusal", "refusal"}, {"something_new", "stop"}, {"model_context_window_exceeded", "length"}};
    for (const auto& c : cases) {
        CAPTURE(c.stop);
        const std::string end = fmt::format(
            R"({{"type":"message_delta","delta":{{"stop_reason":"{}"}},"usage":{{"output_tokens":2}}}})", c.stop);
        // the stream ends without message_stop: that it stopped was said
        CHECK(outcome_of_text(at, events(kStart + end)) == fmt::format(" |  | {} | 20/2/6/0", c.finish));
    }
}

TEST_CASE("Anthropic streams: counts are of the whole message, and later ones win")
{
    const Endpoint at = endpoint("anthropic", "claude-sonnet-4-5");
    llm::Completion completion;
    CHECK(outcome_of_text(at, events(kStart + R"({"type":"message_delta","delta":{},"usage":{"output_tokens":7}}
{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":11,"cache_read_input_tokens":6,"cache_creation_input_tokens":4,"output_tokens":9}}
{"type":"message_stop"})"),
                          &completion) == " |  | stop | 21/9/6/0");
    // 11 read, 4 written to the cache, 6 from it, 9 written
    CHECK(completion.usage.cost == doctest::Approx((11 * 3.0 + 4 * 3.75 + 6 * 0.3 + 9 * 15.0) / 1e6));
    CHECK(completion.model == "anthropic/claude-sonnet-4-5-20250929");
}

TEST_CASE("Anthropic: thinking blocks are kept unchanged and in their order")
{
    const Endpoint at = endpoint("anthropic", "claude-sonnet-4-5");
    llm::Completion completion;
    outcome_of_text(
        at,
        events(
            kStart +
            R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}
{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm, "}}
{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"2+3"}}
{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}
{"type":"content_block_stop","index":0}
{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"ZGF0YQ"}}
{"type":"content_block_start","index":2,"content_block":{"type":"text","text":"Well."}}
{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t1","name":"add","input":{}}}
)" + kToolEnd),
        &completion);
    CHECK(completion.text == "Well.");
    CHECK(completion.reasoning == "Hm, 2+3");
    CHECK(
        completion.opaque ==
        R"({"content":[{"type":"thinking","thinking":"Hm, 2+3","signature":"c2ln"},{"type":"redacted_thinking","data":"ZGF0YQ"},{"text_bytes":5},{"call":0}],"from":"anthropic/claude-sonnet-4-5"})");
}

TEST_CASE("Anthropic: a whole answer in place of a stream is understood")
{
    const Endpoint at = endpoint("anthropic", "claude-sonnet-4-5");
    CHECK(outcome_of_text(at, R"({"id":"m","type":"message","model":"claude","content":[{"type":"text","text":"Hi"},
{"type":"tool_use","id":"t","name":"add","input":{"a":1}}],"stop_reason":"tool_use",
"usage":{"input_tokens":3,"output_tokens":4}})") == R"(Hi | add({"a":1})#t | tool_calls | 3/4/0/0)");
    CHECK(outcome_of_text(at, R"({"type":"error","error":{"type":"invalid_request_error","message":"no"}})") ==
          "invalid: anthropic refuses the request (status 400): \"no\"");
    CHECK(outcome_of_text(at, R"({"id":"m"})") ==
          "malformed!: the answer of anthropic cannot be understood: it has no content");
}

TEST_CASE("Anthropic: a pause is an answer that wants to go on, and goes back as it came")
{
    ScriptedHttp http;
    http.script.push_back(
        {.pieces = {events(
             kStart +
             R"({"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}}
{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"q\":1}"}}
{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"First, "}}
{"type":"message_delta","delta":{"stop_reason":"pause_turn"},"usage":{"output_tokens":2}}
{"type":"message_stop"})")}});
    http.script.push_back(
        {.pieces = {
             events(kStart + R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"then."}}
)" + kEnd)}});
    HttpModel model(http, endpoint("anthropic", "claude-sonnet-4-5"));
    SimLoop loop;
    Heard heard;
    llm::Request request = hello();
    const llm::Completion first = run(loop, model.complete(request, heard));
    CHECK(first.text == "First, ");
    CHECK(first.finish_reason == kPaused);
    CHECK(http.asked.size() == 1);  // a request is a step of its own, with money of its own

    request.messages.push_back(std::make_shared<const llm::Message>(
        llm::Message{.role = model::Role::assistant, .text = first.text, .opaque = first.opaque}));
    CHECK(run(loop, model.complete(request, heard)).text == "then.");
    const json::value body = parse_json(http.asked.at(1).body);
    CHECK(
        to_text(body.at("messages").at(1)) ==
        R"({"role":"assistant","content":[{"type":"server_tool_use","id":"s1","name":"web_search","input":{"q":1}},{"type":"text","text":"First, "}]})");
}
