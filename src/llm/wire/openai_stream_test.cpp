// Streams as vendors of OpenAI's API send them, with all that is odd about them.
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

/// Each line of `lines` is an event's data.
std::string events(std::string_view lines, std::string_view end = "\n\n")
{
    std::string out;
    while (!lines.empty()) {
        const auto newline = lines.find('\n');
        out += "data: " + std::string(lines.substr(0, newline)) + std::string(end);
        lines.remove_prefix(newline == lines.npos ? lines.size() : newline + 1);
    }
    return out;
}

constexpr const char* kEnd = R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3}}
[DONE])";

std::string with_end(std::string lines)
{
    return lines + "\n" + kEnd;
}

const Case kCases[] = {
    {"text",
     R"({"id":"c1","model":"gpt-5-mini-2025-08-07","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}
{"choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}
{"choices":[{"index":0,"delta":{"content":"lo é"},"finish_reason":null}]}
{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":8},"completion_tokens_details":{"reasoning_tokens":2}}}
[DONE])",
     "Hello é |  | stop | 12/5/8/2"},
    {"no [DONE]", R"({"choices":[{"index":0,"delta":{"content":"Hi"}}]}
{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}})",
     "Hi |  | stop | 1/2/0/0"},
    {"no finish_reason but [DONE]", R"({"choices":[{"index":0,"delta":{"content":"Hi"}}]}
[DONE])",
     "Hi |  | stop | ~5/1/0/0"},
    {"empty finish_reason until the end", R"({"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":""}]}
{"choices":[{"index":0,"delta":{"content":"!"},"finish_reason":"stop"}]}
[DONE])",
     "Hi! |  | stop | ~5/1/0/0"},
    {"only an empty finish_reason, and cut", R"({"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":""}]})",
     "upstream! shown: the answer of openai broke off before its end"},
    {"usage in the first chunk and growing",
     R"({"choices":[{"index":0,"delta":{"content":"Hi"}}],"usage":{"prompt_tokens":7,"completion_tokens":1}}
{"choices":[{"index":0,"delta":{},"finish_reason":"length"}],"usage":{"prompt_tokens":7,"completion_tokens":2}}
[DONE])",
     "Hi |  | length | 7/2/0/0"},
    {"usage of Groq", R"({"choices":[{"index":0,"delta":{"content":"Hi"}}]}
{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"r","usage":{"prompt_tokens":3,"completion_tokens":1}}}
[DONE])",
     "Hi |  | stop | 3/1/0/0"},
    {"usage of DeepSeek, cached tokens beyond reason",
     R"({"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1,"prompt_cache_hit_tokens":50}}
[DONE])",
     "Hi |  | stop | 3/1/3/0"},
    {"usage that is nonsense",
     R"({"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":-3,"completion_tokens":"x"}}
[DONE])",
     "Hi |  | stop | ~5/1/0/0"},
    {"usage null", R"({"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}],"usage":null}
[DONE])",
     "Hi |  | stop | ~5/1/0/0"},
    {"one call",
     R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"add","arguments":""}}]}}]}
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]}}]}
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]}
{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
[DONE])",
     R"( | add({"a":1})#call_1 | tool_calls | ~5/3/0/0)"},
    {"parallel calls, mixed",
     R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"add","arguments":"{\"a\""}},{"index":1,"id":"y","function":{"name":"files_read","arguments":"{\"p\""}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":":2}"}},{"index":0,"function":{"arguments":":1}"}}]},"finish_reason":"tool_calls"}]}
[DONE])",
     R"( | add({"a":1})#x files.read({"p":2})#y | tool_calls | ~5/7/0/0)"},
    {"no index, ids",
     R"({"choices":[{"delta":{"tool_calls":[{"id":"x","function":{"name":"add","arguments":"{\"a\":1}"}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"id":"y","function":{"name":"add","arguments":"{\"a\":2}"}}]},"finish_reason":"tool_calls"}]}
[DONE])",
     R"( | add({"a":1})#x add({"a":2})#y | tool_calls | ~5/5/0/0)"},
    {"no index and no ids",
     R"({"choices":[{"delta":{"tool_calls":[{"function":{"name":"add","arguments":"{\"a\":1}"}},{"function":{"name":"add","arguments":{"a":2}}}]},"finish_reason":"stop"}]}
[DONE])",
     R"( | add({"a":1})# add({"a":2})# | tool_calls | ~5/5/0/0)"},
    {"index always 0, ids differ",
     R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"add","arguments":"{\"a\":1}"}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"y","function":{"name":"add","arguments":"{\"a\":2}"}}]},"finish_reason":"tool_calls"}]}
[DONE])",
     R"( | add({"a":1})#x add({"a":2})#y | tool_calls | ~5/5/0/0)"},
    {"index always 0, no ids",
     R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"","function":{"name":"add","arguments":"{\"a\":1}"}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"","function":{"name":"add","arguments":"{\"a\":2}"}}]},"finish_reason":"stop"}]}
[DONE])",
     R"( | add({"a":1})# add({"a":2})# | tool_calls | ~5/5/0/0)"},
    {"id and name in every fragment",
     R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"add","arguments":"{\"a\""}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"add","arguments":":1}"}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"add","arguments":""}}]},"finish_reason":"tool_calls"}]}
[DONE])",
     R"( | add({"a":1})#x | tool_calls | ~5/3/0/0)"},
    {"another id in every fragment",
     R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x1","function":{"name":"add","arguments":"{\"a\""}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x2","function":{"arguments":":1}"}}]},"finish_reason":"tool_calls"}]}
[DONE])",
     R"( | add({"a":1})#x1 | tool_calls | ~5/3/0/0)"},
    {"name after the arguments, id late",
     R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":1}"}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"add"}}]},"finish_reason":"tool_calls"}]}
[DONE])",
     R"( | add({"a":1})#x | tool_calls | ~5/3/0/0)"},
    {"index differs between id and arguments",
     R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"add","arguments":""}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{\"a\":"}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":"1}"}}]},"finish_reason":"tool_calls"}]}
[DONE])",
     R"( | add({"a":1})#x | tool_calls | ~5/3/0/0)"},
    {"no arguments at all",
     R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"add"}}]},"finish_reason":"tool_calls"}]}
[DONE])",
     R"( | add({})#x | tool_calls | ~5/2/0/0)"},
    {"arguments null",
     R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"add","arguments":"null"}}]},"finish_reason":"tool_calls"}]}
[DONE])",
     R"( | add({})#x | tool_calls | ~5/2/0/0)"},
    {"arguments encoded twice",
     R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"add","arguments":"\"{\\\"a\\\":1}\""}}]},"finish_reason":"tool_calls"}]}
[DONE])",
     R"( | add({"a":1})#x | tool_calls | ~5/3/0/0)"},
    {"arguments that are no object",
     R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"add","arguments":"[1]"}}]},"finish_reason":"tool_calls"}]}
[DONE])",
     R"( | add({"_malformed_arguments":"[1]","_problem":"an object is wanted, like {}"})#x | tool_calls | ~5/19/0/0)"},
    {"arguments cut by max_tokens",
     R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"add","arguments":"{\"a\":"}}]},"finish_reason":"length"}]}
[DONE])",
     R"( | add({"_malformed_arguments":"{\"a\":","_problem":"line 1, column 6: the text ends too early"})#x | length | ~5/23/0/0)"},
    {"the old function_call", R"({"choices":[{"delta":{"function_call":{"name":"add","arguments":"{\"a\":"}}}]}
{"choices":[{"delta":{"function_call":{"arguments":"1}"}},"finish_reason":"function_call"}]}
[DONE])",
     R"( | add({"a":1})# | tool_calls | ~5/3/0/0)"},
    {"content as parts",
     R"({"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"Hi"}]},"finish_reason":"stop"}]}
[DONE])",
     "Hi |  | stop | ~5/1/0/0"},
    {"a refusal", R"({"choices":[{"delta":{"refusal":"I can"}}]}
{"choices":[{"delta":{"refusal":"not."},"finish_reason":"stop"}]}
[DONE])",
     "I cannot. |  | refusal | ~5/3/0/0"},
    {"a content filter", R"({"choices":[{"delta":{"content":"He"}}]}
{"choices":[{"delta":{},"finish_reason":"content_filter"}]}
[DONE])",
     "He |  | content_filter | ~5/1/0/0"},
    {"a second choice is not ours",
     R"({"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"yes"}}]}
{"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"length"}]}
{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
[DONE])",
     "yes |  | stop | ~5/1/0/0"},
    {"unknown fields, nulls and prompt filters", R"({"choices":[],"prompt_filter_results":[{}],"model":""}
{"choices":[{"index":0,"delta":{"content":null,"role":null,"tool_calls":null,"weird":7},"logprobs":null}],"x":null}
{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}
[DONE])",
     "Hi |  | stop | ~5/1/0/0"},
    {"what comes after [DONE] is not read", R"({"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}
[DONE]
nonsense)",
     "Hi |  | stop | ~5/1/0/0"},
    {"an error in the stream", R"({"choices":[{"delta":{"content":"Hi"}}]}
{"error":{"message":"Provider disconnected","code":502}})",
     "upstream! shown: openai failed (status 502): \"Provider disconnected\""},
    {"an error before any text", R"({"error":{"message":"The server had an error","type":"server_error"}})",
     "upstream!: openai failed (status 500): \"The server had an error\""},
    {"no JSON", "{\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n{\"choices\":[{",
     "malformed! shown: the answer of openai cannot be understood: line 1, column 14: the text ends too early"},
    {"no object", "[1,2]", "malformed!: the answer of openai cannot be understood: it is no JSON object"},
    {"nothing but [DONE]", "[DONE]", "malformed!: the answer of openai cannot be understood: it holds no choices"},
};

}  // namespace

TEST_CASE("OpenAI streams: every oddity of vendors is understood, however the bytes are cut")
{
    const Endpoint at = endpoint("openai", "gpt-5-mini");
    for (const Case& c : kCases) {
        CAPTURE(c.name);
        CHECK(outcome_of_text(at, events(c.body)) == c.comes);
    }
}

TEST_CASE("OpenAI streams: carriage returns, comments, split characters and event names do not matter")
{
    const Endpoint at = endpoint("openai", "gpt-5-mini");
    const std::string lines = with_end(R"({"choices":[{"delta":{"content":"né😀"}}]})");
    const std::string wanted = "né😀 |  | stop | 9/3/0/0";
    CHECK(outcome_of_text(at, events(lines, "\r\n\r\n")) == wanted);
    CHECK(outcome_of_text(at, ": OPENROUTER PROCESSING\n\n" + events(lines) + ": bye\n\n") == wanted);
    CHECK(outcome_of_text(at, "event: message\nid: 7\nretry: 10\n" + events(lines)) == wanted);
    CHECK(outcome_of_text(at, "\n\n" + events(lines)) == wanted);
    CHECK(outcome_of_text(at, "event: error\ndata: {\"message\":\"no\",\"type\":\"rate_limit_error\"}\n\n") ==
          "rate_limited!: openai is asked too often: \"no\"");
}

TEST_CASE("OpenAI: a whole answer in place of a stream is understood")
{
    const Endpoint at = endpoint("openai", "gpt-5-mini");
    CHECK(outcome_of_text(at, R"({"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi",
"tool_calls":[{"id":"x","type":"function","function":{"name":"add","arguments":"{}"}},{"id":"y","type":"function",
"function":{"name":"add","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}],
"usage":{"prompt_tokens":4,"completion_tokens":2}})") == R"(Hi | add({})#x add({"a":1})#y | tool_calls | 4/2/0/0)");
    CHECK(outcome_of_text(at, R"({"error":{"message":"no","type":"invalid_request_error"}})") ==
          "invalid: openai refuses the request (status 400): \"no\"");
    CHECK(outcome_of_text(at, R"({"choices":[]})") ==
          "malformed!: the answer of openai cannot be understood: it holds no choices");
    CHECK(outcome_of_text(at, "<html>") ==
          "upstream: openai answers with a web page at https://api.openai.com/v1; is the base_url right?");
    CHECK(outcome_of_text(at, "") == "upstream!: the answer of openai broke off before its end");
}

TEST_CASE("OpenAI: thoughts are told apart from the answer, and kept for vendors that want them back")
{
    const std::string lines = R"({"choices":[{"delta":{"reasoning_content":"Let "}}]}
{"choices":[{"delta":{"reasoning_content":"me see"}}]}
{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"add","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}
[DONE])";
    llm::Completion deepseek, openai;
    outcome_of_text(endpoint("deepseek", "deepseek-flash"), events(lines), &deepseek);
    CHECK(deepseek.reasoning == "Let me see");
    CHECK(deepseek.opaque == R"({"reasoning":"Let me see","from":"deepseek/deepseek-flash"})");
    outcome_of_text(endpoint("openai", "gpt-5-mini"), events(lines), &openai);
    CHECK(openai.reasoning == "Let me see");
    CHECK(openai.opaque == "");

    llm::Completion router, gemini;
    outcome_of_text(
        endpoint("openrouter", "x/y"),
        events(
            R"({"choices":[{"delta":{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","index":0,"text":"a","signature":null}]}}]}
{"choices":[{"delta":{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","index":0,"text":"b","signature":"sig"}]}}]}
{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1,"cost":0.25}}
[DONE])"),
        &router);
    CHECK(router.reasoning == "ab");
    CHECK(
        router.opaque ==
        R"({"reasoning":[{"type":"reasoning.text","index":0,"text":"ab","signature":"sig"}],"from":"openrouter/x/y"})");
    CHECK(router.usage.cost == 0.25);
    CHECK(!router.usage.unpriced);
    outcome_of_text(
        endpoint("gemini", "gemini-2.5-flash"),
        events(
            R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","extra_content":{"google":{"thought_signature":"s"}},"function":{"name":"add","arguments":"{}"}}]},"finish_reason":"stop"}]}
[DONE])"),
        &gemini);
    CHECK(gemini.opaque ==
          R"({"calls":[{"extra_content":{"google":{"thought_signature":"s"}}}],"from":"gemini/gemini-2.5-flash"})");
}

TEST_CASE("OpenAI: an answer of more calls or more bytes than anybody wants ends in an error")
{
    const Endpoint at = endpoint("openai", "gpt-5-mini");
    std::string calls;
    for (int i = 0; i < 1100; ++i)
        calls +=
            fmt::format(
                R"(data: {{"choices":[{{"delta":{{"tool_calls":[{{"index":{},"id":"c{}","function":{{"name":"add"}}}}]}}}}]}})",
                i, i) +
            "\n\n";
    CHECK(outcome(at, {.pieces = {calls}}) == "too_large: the answer of openai has more than 1024 calls");
    Scripted much;
    const std::string piece = R"(data: {"choices":[{"delta":{"content":")" + std::string(1 << 20, 'x') + "\"}}]}\n\n";
    for (int i = 0; i < 17; ++i) much.pieces.push_back(piece);
    CHECK(outcome(at, std::move(much)) == "too_large shown: the answer of openai has more than 16 MiB");
}
