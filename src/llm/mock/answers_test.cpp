// Our client against mock-llm, over both APIs: what is answered arrives as it was meant.
#include "llm/mock/test_vendor.hpp"

#include "base/timeout.hpp"

#include <doctest/doctest.h>

#include <span>

using namespace cadre;
using namespace cadre::llm;
using namespace cadre::llm::test;

namespace {

struct Case {
    std::string name;
    std::string script;
    std::string text{};
    std::string calls{};
    const char* finish = "stop";
    const char* usage = nullptr;  // null: any
    std::size_t pieces = 1;       // that are heard
    const char* reasoning = "";
    const char* schema = "";
    Millis silence{10'000};
};

std::string repeated(std::string_view text, std::size_t times)
{
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

const std::string kLong = repeated("日本語 Zürich 👩‍🚀 ", 4000);
const std::string kRocket = "\U0001F469\u200D\U0001F680";

const Case kTexts[] = {
    {.name = "text", .script = "text: Hello there.", .text = "Hello there."},
    {.name = "pieces", .script = "text: abcdefgh, chunks: 3", .text = "abcdefgh", .pieces = 3},
    {.name = "given pieces", .script = "chunks: [He, llo, ' you']", .text = "Hello you", .pieces = 3},
    {.name = "a piece for each character", .script = "text: äöü, chunks: 9", .text = "äöü", .pieces = 3},
    {.name = "empty", .script = R"(text: "")", .pieces = 0},
    {.name = "blank", .script = R"(text: " \n ")", .text = " \n "},
    {.name = "blanks around", .script = R"(chunks: ["  ", a, "  \n"])", .text = "  a  \n", .pieces = 3},
    {.name = "ends of lines",
     .script = R"(chunks: ["a\r\nb\r", "\nc\n\n", "\rd"])",
     .text = "a\r\nb\r\nc\n\n\rd",
     .pieces = 3},
    {.name = "JSON's own", .script = R"(text: "\"q\" \\ / {}[] \t")", .text = "\"q\" \\ / {}[] \t"},
    {.name = "like an event",
     .script = R"(text: "data: x\n\nevent: y\n: z\nid: 1")",
     .text = "data: x\n\nevent: y\n: z\nid: 1"},
    {.name = "like the end",
     .script = R"(chunks: ["[DONE]", "data: [DONE]\n\n"])",
     .text = "[DONE]data: [DONE]\n\n",
     .pieces = 2},
    {.name = "like an error",
     .script = R"(text: "{\"error\":{\"message\":\"no\"}}")",
     .text = R"({"error":{"message":"no"}})"},
    {.name = "like a page", .script = R"(text: "<html></html>")", .text = "<html></html>"},
    {.name = "controls", .script = R"(text: "a\0b\x1F\x7F\e[31m")", .text = std::string("a\0b\x1F\x7F\x1B[31m", 10)},
    {.name = "separators",
     .script = R"(text: "a\u2028b\u2029c\u0085d\ufeffe")",
     .text = "a\u2028b\u2029c\u0085d\uFEFFe"},
    {.name = "scripts",
     .script = "chunks: [Grüße, ' 日本', '語 ', 'مرحبا', ' нет']",
     .text = "Grüße 日本語 مرحبا нет",
     .pieces = 5},
    {.name = "emoji", .script = "text: 🙂🚀🇨🇭, chunks: 4", .text = "🙂🚀🇨🇭", .pieces = 4},
    {.name = "an emoji in pieces",
     .script = R"(chunks: ["\U0001F469", "\u200D", "\U0001F680"])",
     .text = kRocket,
     .pieces = 3},
    {.name = "an accent by itself", .script = R"(chunks: [e, "\u0301"])", .text = "e\u0301", .pieces = 2},
    {.name = "last characters", .script = R"(text: "\uFFFD\uFFFD \U0010FFFD")", .text = "\uFFFD\uFFFD \U0010FFFD"},
    {.name = "long, at once", .script = "text: '" + kLong + "'", .text = kLong},
    {.name = "long, in pieces", .script = "text: '" + kLong + "', chunks: 1000", .text = kLong, .pieces = 1000},
    {.name = "late", .script = "text: Here I am., delay_ms: 30", .text = "Here I am."},
    {.name = "slow is not silent",
     .script = "text: abcdef, chunks: 6, pace_ms: 50",
     .text = "abcdef",
     .pieces = 5,  // a piece that a key could begin with is held until the next one
     .silence = Millis(200)},
    {.name = "headers that count",
     .script = R"(text: Hi, headers: {x-ratelimit-remaining-requests: "0", anthropic-ratelimit-tokens-remaining: "0"})",
     .text = "Hi"},
};

const Case kCalls[] = {
    {.name = "a call",
     .script = "tool_calls: [{name: add, arguments: {a: 2, b: 3}, id: c1}]",
     .calls = R"(add({"a":2,"b":3})#c1)",
     .finish = "tool_calls",
     .pieces = 0},
    {.name = "nothing to say to it",
     .script = "tool_calls: [{name: add, id: c1}]",
     .calls = "add({})#c1",
     .finish = "tool_calls",
     .pieces = 0},
    {.name = "parallel calls",
     .script = "tool_calls: [{name: add, arguments: {a: 1}, id: x}, {name: sub, id: y}, {name: add, arguments: {a: 2}, "
               "id: z}]",
     .calls = R"(add({"a":1})#x sub({})#y add({"a":2})#z)",
     .finish = "tool_calls",
     .pieces = 0},
    {.name = "text and calls",
     .script = "text: Let me see., chunks: 2, tool_calls: [{name: add, arguments: {a: 1}, id: x}, {name: add, id: y}]",
     .text = "Let me see.",
     .calls = R"(add({"a":1})#x add({})#y)",
     .finish = "tool_calls",
     .pieces = 2},
    {.name = "foreign arguments",
     .script =
         R"(tool_calls: [{name: add, id: c, arguments: {city: Zürich, "🙂": ["👩‍🚀", "a\"b\\c\n", "\u0001"]}}])",
     .calls = R"(add({"city":"Zürich","🙂":["👩‍🚀","a\"b\\c\n","\u0001"]})#c)",
     .finish = "tool_calls",
     .pieces = 0},
    {.name = "arguments of every type",
     .script = "tool_calls: [{name: add, id: c, arguments: {a: [1, -2.5, true, null, []], b: {c: {d: {}}}, e: "
               "9007199254740993, f: ''}}]",
     .calls = R"(add({"a":[1,-2.5,true,null,[]],"b":{"c":{"d":{}}},"e":9007199254740993,"f":""})#c)",
     .finish = "tool_calls",
     .pieces = 0},
    {.name = "long arguments",
     .script = "tool_calls: [{name: add, id: c, arguments: {text: '" + kLong + "'}}]",
     .calls = R"(add({"text":")" + kLong + R"("})#c)",
     .finish = "tool_calls",
     .pieces = 0},
    {.name = "a name that vendors do not take",
     .script = "tool_calls: [{name: files_read, id: c}]",
     .calls = "files.read({})#c",
     .finish = "tool_calls",
     .pieces = 0},
    {.name = "a tool that nobody has",
     .script = "tool_calls: [{name: launch, id: c}]",
     .calls = "launch({})#c",
     .finish = "tool_calls",
     .pieces = 0},
    {.name = "a call that says stop",
     .script = "tool_calls: [{name: add, id: c}], finish_reason: stop",
     .calls = "add({})#c",
     .finish = "tool_calls",
     .pieces = 0},
    {.name = "a call at the limit",
     .script = "tool_calls: [{name: add, id: c}], finish_reason: length",
     .calls = "add({})#c",
     .finish = "length",
     .pieces = 0},
};

const Case kRest[] = {
    {.name = "at the limit", .script = "text: and so, finish_reason: length", .text = "and so", .finish = "length"},
    {.name = "thoughts",
     .script = "text: '4', reasoning: \"2 and 2\\nis 4\"",
     .text = "4",
     .reasoning = "2 and 2\nis 4"},
    {.name = "thoughts before a call",
     .script = "reasoning: I add., tool_calls: [{name: add, id: c}]",
     .calls = "add({})#c",
     .finish = "tool_calls",
     .pieces = 0,
     .reasoning = "I add."},
    {.name = "tokens", .script = "text: Hi, usage: {input: 120, output: 12}", .text = "Hi", .usage = "120/12/0/0"},
    {.name = "tokens of a cache",
     .script = "text: Hi, usage: {input: 1200, output: 12, cached: 1000}",
     .text = "Hi",
     .usage = "1200/12/1000/0"},
    {.name = "all from a cache",
     .script = "text: Hi, usage: {input: 7, output: 1, cached: 7}",
     .text = "Hi",
     .usage = "7/1/7/0"},
    {.name = "tokens of thoughts",
     .script = "text: Hi, reasoning: hm, usage: {input: 5, output: 90, reasoning: 80}",
     .text = "Hi",
     .usage = "5/90/0/80",
     .reasoning = "hm"},
    {.name = "no tokens", .script = "text: Hi, usage: {input: 0, output: 0}", .text = "Hi", .usage = "~6/1/0/0"},
    {.name = "many tokens",
     .script = "text: Hi, usage: {input: 4000000000, output: 3000000000}",
     .text = "Hi",
     .usage = "4000000000/3000000000/0/0"},
    {.name = "JSON",
     .script = "json: {plan: [a, b], n: 1}",
     .text = R"({"plan":["a","b"],"n":1})",
     .schema = R"({"type":"object"})"},
    {.name = "JSON in pieces", .script = "json: [1, {a: 🙂}], chunks: 4", .text = R"([1,{"a":"🙂"}])", .pieces = 4},
};

void check(const Case& expected, const Outcome& outcome)
{
    if (outcome.error) FAIL_CHECK(outcome.error->what());
    const llm::Completion& completion = outcome.completion;
    CHECK(completion.text == expected.text);
    CHECK(outcome.heard.text() == expected.text);
    CHECK(outcome.heard.list.size() == expected.pieces);
    CHECK(summary(completion.calls) == expected.calls);
    CHECK(completion.finish_reason == expected.finish);
    CHECK(completion.reasoning == expected.reasoning);
    CHECK(completion.usage.estimated == (expected.usage && std::string_view(expected.usage).starts_with('~')));
    if (expected.usage) CHECK(summary(completion.usage) == expected.usage);
}

void check_all(std::span<const Case> cases)
{
    std::string script;
    for (const Case& c : cases) script += entry(c.name, c.script);
    Vendor vendor(script);
    for (const Case& c : cases)
        for (const Api& api : kApis) {
            CAPTURE(c.name);
            CAPTURE(api.provider);
            Request request = saying(c.name);
            request.options.output_schema = c.schema;
            check(c, vendor.ask(vendor.at(api, c.silence), std::move(request)));
        }
    CHECK(vendor.left_over().empty());
    CHECK(vendor.http().open() == 1);  // an answer that is read to its end leaves a connection for the next one
}

}  // namespace

TEST_CASE("suite: texts arrive as they were said, piece by piece")
{
    check_all(kTexts);
}

TEST_CASE("suite: calls arrive with their arguments")
{
    check_all(kCalls);
}

TEST_CASE("suite: thoughts, tokens, ends and structured output")
{
    check_all(kRest);
}

TEST_CASE("suite: what a vendor withholds is said in its own word")
{
    Vendor vendor(entry("no", "text: I would rather not., finish_reason: content_filter"));
    for (const Api& api : kApis) {
        CAPTURE(api.provider);
        const Outcome outcome = vendor.ask(vendor.at(api), saying("no"));
        CHECK(outcome.completion.text == "I would rather not.");
        CHECK(outcome.completion.finish_reason == (&api == kApis ? "content_filter" : "refusal"));
    }
}

TEST_CASE("suite: tokens that a script does not give are a quarter of the bytes, rounded up")
{
    Vendor vendor(entry("quarter", "text: '12345', tool_calls: [{name: add, arguments: {a: 1}}]"));
    for (const Api& api : kApis) {
        CAPTURE(api.provider);
        Request request = saying("quarter");  // 9 bytes
        request.tools.reset();
        const Outcome outcome = vendor.ask(vendor.at(api), std::move(request));
        CHECK(summary(outcome.completion.usage) == "3/4/0/0");  // 12345add{"a":1} is 15
    }
}

TEST_CASE("suite: a conversation with calls goes on, and thoughts go back unchanged")
{
    Vendor vendor(entry("sum",
                        "reasoning: I add twice., text: One moment., tool_calls: [{name: add, arguments: {a: 1}}, "
                        "{name: files_read}]") +
                  "- {when: {nth: 2, after_tool: true, contains: 'it is 3'}, times: 2, text: It is 3.}\n"
                  "- {when: {nth: 3, after_tool: false, contains: thanks}, times: 2, text: Any time.}\n");
    for (const Api& api : kApis) {
        CAPTURE(api.provider);
        const Endpoint at = vendor.at(api);
        Request request = saying("sum");
        const auto say = [&](Message message) {
            request.messages.push_back(std::make_shared<const Message>(std::move(message)));
        };
        const auto answer = [&] {
            Outcome outcome = vendor.ask(at, request);
            if (outcome.error) FAIL_CHECK(outcome.error->what());
            say({.role = model::Role::assistant,
                 .text = outcome.completion.text,
                 .calls = outcome.completion.calls,
                 .opaque = outcome.completion.opaque});
            return outcome.completion;
        };
        const llm::Completion first = answer();
        REQUIRE(first.calls.size() == 2);
        CHECK(first.calls[0].id != first.calls[1].id);
        CHECK(!first.calls[0].id.empty());
        CHECK(first.calls[1].tool_name == "files.read");
        say({.role = model::Role::tool, .text = "it is 3", .call_id = first.calls[0].id});
        say({.role = model::Role::tool, .text = "no such file", .call_id = first.calls[1].id, .is_error = true});
        CHECK(answer().text == "It is 3.");
        say({.text = "thanks"});
        CHECK(answer().text == "Any time.");
    }
    CHECK(vendor.left_over().empty());
}

TEST_CASE("suite: who gives up an answer closes its connection")
{
    Vendor vendor(entry("long", "text: abc, chunks: 3, broken: {how: stall, after: 1, ms: 60000}"));
    for (const Api& api : kApis) {
        CAPTURE(api.provider);
        HttpModel model(vendor.http(), vendor.at(api));
        Pieces heard;
        vendor.calls.clear();
        CHECK_THROWS_WITH_AS(
            run(vendor.loop(), with_timeout(model.complete(saying("long"), heard), Millis(100), "the model")),
            doctest::Contains("the model"), Error);
        CHECK(heard.text() == "a");
        CHECK(vendor.http().open() == 0);
        vendor.loop().run_until([&] { return !vendor.calls.empty(); });
        CHECK(vendor.calls[0].gone);
    }
}
