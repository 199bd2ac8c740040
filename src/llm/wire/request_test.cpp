#include "llm/wire/request.hpp"

#include "llm/test_http.hpp"
#include "llm/wire/turns.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace cadre;
using namespace cadre::llm;
using namespace cadre::llm::test;

namespace {

using model::Role;

std::shared_ptr<const Message> message(Message text)
{
    return std::make_shared<const Message>(std::move(text));
}

model::ToolCall call(std::string id, std::string name, std::string_view args)
{
    return {.id = std::move(id), .tool_name = std::move(name), .args = parse_json(args).as_object()};
}

/// One of everything.
Request everything()
{
    Request request = hello({{.name = "files.read",
                              .description = "Reads.",
                              .input_schema = R"({"type":"object","properties":{"p":{"type":"string"}}})"},
                             {.name = "add"}});
    request.instructions = "Be brief.";
    request.messages = {
        message(
            {.text = "Look.", .images = {{.media_type = "image/png", .data = "aGk="}, {.url = "https://x.example/a"}}}),
        message({.role = Role::assistant,
                 .text = "I will.",
                 .calls = {call("tc_1", "files.read", R"({"p":"a"})"), call("tc_2", "add", "{}")}}),
        message({.role = Role::tool, .text = "no such file", .call_id = "tc_2", .is_error = true}),
        message({.role = Role::tool, .text = "text", .call_id = "tc_1"}),
        message({.text = "And?"}),
    };
    return request;
}

std::string body(const Endpoint& at, const Request& request, std::string_view field)
{
    const ToolNames names(request.tools.get());
    const json::value value = parse_json(body_for(at, request, names));
    const auto* found = value.as_object().if_contains(field);
    return found ? to_text(*found) : "none";
}

}  // namespace

TEST_CASE("OpenAI requests: messages, calls in the order of their results, pictures, tools")
{
    const Endpoint at = endpoint("openai", "gpt-5-mini");
    const Request request = everything();
    CHECK(
        body(at, request, "messages") ==
        R"([{"role":"developer","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"Look."},{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}},{"type":"image_url","image_url":{"url":"https://x.example/a"}}]},{"role":"assistant","content":"I will.","tool_calls":[{"id":"tc_1","type":"function","function":{"name":"files_read","arguments":"{\"p\":\"a\"}"}},{"id":"tc_2","type":"function","function":{"name":"add","arguments":"{}"}}]},{"role":"tool","tool_call_id":"tc_1","content":"text"},{"role":"tool","tool_call_id":"tc_2","content":"no such file"},{"role":"user","content":"And?"}])");
    CHECK(
        body(at, request, "tools") ==
        R"([{"type":"function","function":{"name":"files_read","description":"Reads.","parameters":{"type":"object","properties":{"p":{"type":"string"}}}}},{"type":"function","function":{"name":"add","parameters":{"type":"object","properties":{}}}}])");
    CHECK(body(at, request, "model") == "\"gpt-5-mini\"");
    CHECK(body(at, request, "stream") == "true");
    CHECK(body(at, request, "stream_options") == R"({"include_usage":true})");
    for (const char* absent :
         {"max_tokens", "max_completion_tokens", "temperature", "stop", "seed", "response_format", "reasoning_effort"})
        CHECK(body(at, request, absent) == "none");
    CHECK(body(at, hello({}), "tools") == "none");
}

TEST_CASE("OpenAI requests: options are said in each vendor's words, or not at all")
{
    Request request = hello();
    request.options = {.temperature = 1.8,
                       .max_tokens = 1'000'000,
                       .stop = {"END"},
                       .seed = 7,
                       .output_schema = R"({"type":"object"})",
                       .reasoning_effort = "low"};
    const Endpoint openai = endpoint("openai", "gpt-4o"), deepseek = endpoint("deepseek", "deepseek-v4-pro"),
                   mistral = endpoint("mistral", "mistral-large-latest"), mini = endpoint("openai", "gpt-5-mini");
    CHECK(body(openai, request, "max_completion_tokens") == "16384");
    CHECK(body(openai, request, "max_tokens") == "none");
    CHECK(body(openai, request, "temperature") == "1.8");
    CHECK(body(openai, request, "stop") == R"(["END"])");
    CHECK(body(openai, request, "seed") == "7");
    CHECK(body(openai, request, "reasoning_effort") == "\"low\"");
    CHECK(body(openai, request, "response_format") ==
          R"({"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"}}})");
    CHECK(body(mini, request, "temperature") == "none");
    CHECK(body(mini, request, "max_completion_tokens") == "128000");
    CHECK(body(deepseek, request, "max_tokens") == "384000");
    CHECK(body(deepseek, request, "seed") == "none");
    CHECK(body(deepseek, request, "response_format") == R"({"type":"json_object"})");
    CHECK(
        body(deepseek, request, "messages") ==
        R"([{"role":"system","content":"Answer with JSON alone, without Markdown around it, that is valid against this JSON Schema:\n{\"type\":\"object\"}"},{"role":"user","content":"Hello"}])");
    CHECK(body(mistral, request, "stream_options") == "none");
    CHECK(body(mistral, request, "temperature") == "1.5");
    CHECK(body(mistral, request, "max_tokens") == "16384");
    CHECK(body(endpoint("ollama", "m"), request, "max_tokens") == "1000000");
    CHECK(body(endpoint("openai", "gpt-9"), request, "temperature") == "none");  // newer ones refuse it
}

TEST_CASE("OpenAI requests: thoughts and signatures go back to whom they are from, and to nobody else")
{
    const std::string thoughts = R"({"reasoning":"hm","from":"deepseek/deepseek-flash"})";
    Request request = hello();
    request.messages.push_back(
        message({.role = Role::assistant, .calls = {call("x", "add", "{}")}, .opaque = thoughts}));
    request.messages.push_back(message({.role = Role::tool, .text = "5", .call_id = "x"}));
    request.messages.push_back(message({.role = Role::assistant, .text = "Five.", .opaque = thoughts}));
    const std::string sent = body(endpoint("deepseek", "deepseek-flash"), request, "messages");
    CHECK(sent.find(R"({"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":)") != sent.npos);
    CHECK(sent.find(R"({"role":"assistant","content":"Five."})") != sent.npos);  // only with calls
    CHECK(body(endpoint("deepseek", "deepseek-v4-pro"), request, "messages").find("hm") == sent.npos);
    CHECK(body(endpoint("openai", "gpt-5-mini"), request, "messages").find("hm") == sent.npos);

    Request signed_call = hello();
    signed_call.messages.push_back(
        message({.role = Role::assistant,
                 .calls = {call("x", "add", "{}")},
                 .opaque = R"({"calls":[{"extra_content":{"google":{"thought_signature":"s"}}}],"from":"gemini/g"})"}));
    CHECK(body(endpoint("gemini", "g"), signed_call, "messages")
              .find(R"("arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}])") != sent.npos);
    Request broken = hello();
    broken.messages.push_back(message({.role = Role::assistant, .text = "Hi", .opaque = "{nonsense"}));
    CHECK(body(endpoint("deepseek", "deepseek-flash"), broken, "messages").find("Hi") != sent.npos);
}

TEST_CASE("requests: a call without a result gets one, and a result without a call is told as text")
{
    Request request = hello();
    request.messages.push_back(
        message({.role = Role::assistant, .calls = {call("x", "add", "{}"), call("y", "add", "{}")}}));
    request.messages.push_back(message({.role = Role::tool, .text = "5", .call_id = "y"}));
    request.messages.push_back(message({.role = Role::tool, .text = "6", .call_id = "gone"}));
    CHECK(
        body(endpoint("vllm", "m"), request, "messages") ==
        R"([{"role":"user","content":"Hello"},{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"function","function":{"name":"add","arguments":"{}"}},{"id":"y","type":"function","function":{"name":"add","arguments":"{}"}}]},{"role":"tool","tool_call_id":"x","content":"No result of this call was recorded."},{"role":"tool","tool_call_id":"y","content":"5"},{"role":"user","content":"Result of an earlier call: 6"}])");
    Endpoint claude = endpoint("anthropic", "claude-sonnet-4-5");
    claude.vendor.prompt_cache = false;
    CHECK(
        body(claude, request, "messages") ==
        R"([{"role":"user","content":[{"type":"text","text":"Hello"}]},{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"add","input":{}},{"type":"tool_use","id":"y","name":"add","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","is_error":true,"content":"No result of this call was recorded."},{"type":"tool_result","tool_use_id":"y","content":"5"},{"type":"text","text":"Result of an earlier call: 6"}]}])");
}

TEST_CASE("requests: pictures of a tool reach the model, ids are as the vendor takes them")
{
    Request request = hello();
    request.messages.push_back(message({.role = Role::assistant, .calls = {call("tc_0123", "add", "{}")}}));
    request.messages.push_back(message({.role = Role::tool,
                                        .text = "a plot",
                                        .call_id = "tc_0123",
                                        .images = {{.media_type = "image/png", .data = "aGk="}}}));
    CHECK(
        body(endpoint("vllm", "m"), request, "messages")
            .ends_with(
                R"({"role":"tool","tool_call_id":"tc_0123","content":"a plot"},{"role":"user","content":[{"type":"text","text":"Pictures that the tools gave:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]}])"));
    CHECK(
        body(endpoint("anthropic", "claude-sonnet-4-5"), request, "messages")
            .ends_with(
                R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"tc_0123","content":[{"type":"text","text":"a plot"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}],"cache_control":{"type":"ephemeral"}}]}])"));
    const std::string id = wire_call_id(endpoint("mistral", "m"), "tc_0123");
    CHECK(id.size() == 9);
    CHECK(body(endpoint("mistral", "m"), request, "messages").find(R"("tool_call_id":")" + id + '"') != id.npos);
}

TEST_CASE("Anthropic requests: instructions on top, results first, turns merged, limits given")
{
    const Endpoint at = endpoint("anthropic", "claude-sonnet-4-5");
    Request request = everything();
    request.messages.push_back(message({.role = Role::system, .text = "Now in French."}));
    request.messages.push_back(message({.text = "Well?"}));
    request.messages.push_back(message({.role = Role::assistant, .text = "  "}));
    CHECK(body(at, request, "system") ==
          R"([{"type":"text","text":"Be brief.\n\nNow in French.","cache_control":{"type":"ephemeral"}}])");
    CHECK(body(at, request, "max_tokens") == "64000");
    CHECK(
        body(at, request, "messages") ==
        R"([{"role":"user","content":[{"type":"text","text":"Look."},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}},{"type":"image","source":{"type":"url","url":"https://x.example/a"}}]},{"role":"assistant","content":[{"type":"text","text":"I will."},{"type":"tool_use","id":"tc_1","name":"files_read","input":{"p":"a"}},{"type":"tool_use","id":"tc_2","name":"add","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"tc_1","content":"text"},{"type":"tool_result","tool_use_id":"tc_2","is_error":true,"content":"no such file"},{"type":"text","text":"And?"},{"type":"text","text":"Well?","cache_control":{"type":"ephemeral"}}]}])");
    CHECK(
        body(at, request, "tools") ==
        R"([{"name":"files_read","description":"Reads.","input_schema":{"type":"object","properties":{"p":{"type":"string"}}}},{"name":"add","input_schema":{"type":"object","properties":{}}}])");

    Request empty = hello({});
    empty.messages = {message({.role = Role::assistant, .text = "So far. "})};
    CHECK(body(at, empty, "messages") ==
          R"([{"role":"user","content":"Go on."},{"role":"assistant","content":[{"type":"text","text":"So far."}]}])");
    empty.messages.clear();
    CHECK(body(at, empty, "messages") == R"([{"role":"user","content":"Go on."}])");
    CHECK(body(at, empty, "system") == "none");
}

TEST_CASE("Anthropic requests: options, and thinking as the model takes it")
{
    Request request = hello();
    request.options = {.temperature = 1.5, .max_tokens = 9000, .stop = {"END", " "}, .seed = 7, .output_schema = "{}"};
    const Endpoint older = endpoint("anthropic", "claude-sonnet-4-5"), newer = endpoint("anthropic", "claude-opus-5"),
                   unknown = endpoint("anthropic", "claude-next");
    CHECK(body(older, request, "temperature") == "1.0");
    CHECK(body(older, request, "max_tokens") == "9000");
    CHECK(body(older, request, "stop_sequences") == R"(["END"])");
    CHECK(body(older, request, "seed") == "none");
    CHECK(body(older, request, "thinking") == "none");
    CHECK(body(older, request, "system").find("JSON Schema") != std::string::npos);
    CHECK(body(newer, request, "temperature") == "none");
    CHECK(body(unknown, hello(), "max_tokens") == "8192");

    request.options.reasoning_effort = "medium";
    CHECK(body(older, request, "thinking") == R"({"type":"enabled","budget_tokens":4500})");
    CHECK(body(older, request, "temperature") == "none");
    CHECK(body(newer, request, "thinking") == R"({"type":"adaptive"})");
    CHECK(body(newer, request, "output_config") == R"({"effort":"medium"})");
    request.options.max_tokens = 1500;
    CHECK(body(older, request, "thinking") == "none");
}

TEST_CASE("Anthropic requests: thinking blocks go back where they stood, unchanged, and only to their model")
{
    Request request = hello();
    request.messages.push_back(message(
        {.role = Role::assistant,
         .text = "Well. Yes.",
         .calls = {call("tc_9", "add", "{}")},
         .opaque =
             R"({"content":[{"type":"thinking","thinking":"hm","signature":"s=="},{"text_bytes":6},{"type":"thinking","thinking":"","signature":"t"},{"text_bytes":4},{"call":0}],"from":"anthropic/claude-sonnet-4-5"})"}));
    const std::string sent = body(endpoint("anthropic", "claude-sonnet-4-5"), request, "messages");
    CHECK(
        sent.find(
            R"([{"type":"thinking","thinking":"hm","signature":"s=="},{"type":"text","text":"Well. "},{"type":"thinking","thinking":"","signature":"t"},{"type":"text","text":"Yes."},{"type":"tool_use","id":"tc_9","name":"add","input":{}}])") !=
        sent.npos);
    const std::string plain =
        R"([{"type":"text","text":"Well. Yes."},{"type":"tool_use","id":"tc_9","name":"add","input":{}}])";
    CHECK(body(endpoint("anthropic", "claude-opus-5"), request, "messages").find(plain) != sent.npos);
    // somebody changed the text: what stood where is not known any more
    Message changed = *request.messages.back();
    changed.text = "Well?";
    request.messages.back() = message(changed);
    CHECK(body(endpoint("anthropic", "claude-sonnet-4-5"), request, "messages").find("thinking") == sent.npos);
}

TEST_CASE("tool names: mapped to what vendors take, never two to one, and back")
{
    const std::string long_name(80, 'n');
    const std::vector<ToolSpec> tools{{.name = "a.b"},   {.name = "a_b"},     {.name = "a/b"},
                                      {.name = "größe"}, {.name = long_name}, {.name = ""}};
    const ToolNames names(&tools);
    std::set<std::string> seen;
    for (const ToolSpec& tool : tools) {
        const std::string wire = names.to_wire(tool.name);
        CAPTURE(wire);
        CHECK(seen.insert(wire).second);
        CHECK(wire.size() <= 64);
        CHECK(!wire.empty());
        CHECK(names.from_wire(wire) == tool.name);
    }
    CHECK(names.to_wire("a_b") == "a_b");
    CHECK(names.to_wire("gone.tool") == "gone_tool");
    CHECK(names.from_wire("invented") == "invented");
    CHECK(ToolNames(nullptr).to_wire("a.b") == "a_b");
}
