#include "llm/script.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "base/timeout.hpp"
#include "support/error_of.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <fstream>

using namespace cadre;
using namespace cadre::llm;
using namespace std::chrono_literals;
using cadre::test::error_of;

namespace {

struct Heard final : ChunkSink {
    void chunk(std::string_view text) noexcept override { pieces.emplace_back(text); }
    std::string text() const
    {
        std::string all;
        for (const std::string& piece : pieces) all += piece;
        return all;
    }
    std::vector<std::string> pieces;
};

std::shared_ptr<const Message> says(model::Role role, std::string text)
{
    return std::make_shared<const Message>(Message{.role = role, .text = std::move(text)});
}

Request request(std::string agent, int nth, std::string text = "hello")
{
    return {.agent = std::move(agent), .nth = nth, .messages = {says(model::Role::user, std::move(text))}};
}

Request after_tool(std::string agent, int nth, std::string result)
{
    Request out = request(std::move(agent), nth, "What is 2+3?");
    out.messages.push_back(says(model::Role::assistant, ""));
    out.messages.push_back(says(model::Role::tool, std::move(result)));
    return out;
}

std::shared_ptr<ScriptModel> script(std::string_view text)
{
    return ScriptModel::from_text(text, "s.yaml");
}

llm::Completion ask(ScriptModel& model, Request request)
{
    SimLoop loop;
    Heard heard;
    llm::Completion answer = run(loop, model.complete(std::move(request), heard));
    CHECK(heard.text() == answer.text);
    return answer;
}

struct Failure {
    std::string text{};
    Code code = Code::internal;
    bool transient = false;
    std::optional<Millis> retry_after{};
    std::vector<std::string> heard{};
};

Failure failure_of(ScriptModel& model, Request request)
{
    SimLoop loop;
    Heard heard;
    try {
        run(loop, model.complete(std::move(request), heard));
    } catch (const ModelError& error) {
        return {error.what(), error.code(), error.transient(), error.retry_after(), heard.pieces};
    }
    return {};
}

}  // namespace

TEST_CASE("a script calls a tool, then answers, and nothing is left over")
{
    const auto model = script(R"(
- when: {agent: researcher, contains: "2+3", nth: 1, after_tool: false}
  tool_calls: [{name: calculator, arguments: {expression: "2+3"}}]
  usage: {input: 120, output: 12}
- when: {agent: researcher}
  text: The sum is 5.
)");
    CHECK(model->spec() == "script:s.yaml");
    const llm::Completion first = ask(*model, request("researcher", 1, "What is 2+3?"));
    CHECK(first.text == "");
    REQUIRE(first.calls.size() == 1);
    CHECK(first.calls[0].id == "");
    CHECK(first.calls[0].tool_name == "calculator");
    CHECK(first.calls[0].args == json::object{{"expression", "2+3"}});
    CHECK(first.finish_reason == "tool_calls");
    CHECK(first.usage == Usage{.input = 120, .output = 12});
    CHECK(model->left_over() == std::vector<std::string>{"s.yaml:5: used 0 of 1 times: \"The sum is 5.\""});

    const llm::Completion second = ask(*model, after_tool("researcher", 2, "5"));
    CHECK(second.text == "The sum is 5.");
    CHECK(second.calls.empty());
    CHECK(second.finish_reason == "stop");
    CHECK(second.model == "script:s.yaml");
    CHECK(model->left_over().empty());
}

TEST_CASE("a text may come with calls, and a call may have an id")
{
    const auto model = script("- {text: Let me see., tool_calls: [{name: clock, id: c1}, {name: clock, id: c2}]}");
    const llm::Completion answer = ask(*model, request("a", 1));
    CHECK(answer.text == "Let me see.");
    REQUIRE(answer.calls.size() == 2);
    CHECK(answer.calls[0].id == "c1");
    CHECK(answer.calls[0].args.empty());
    CHECK(answer.calls[1].id == "c2");
}

TEST_CASE("entries are tried from the top, each as often as it says")
{
    const auto model = script("[{text: a, times: 2}, {text: b}, {text: rest, times: any}]");
    std::string said;
    for (int i = 1; i <= 5; ++i) said += ask(*model, request("x", i)).text + " ";
    CHECK(said == "a a b rest rest ");
    CHECK(model->left_over().empty());
    CHECK(script("- {text: never, times: any}")->left_over().empty());
}

TEST_CASE("each condition alone decides")
{
    struct {
        const char* when;
        Request yes, no;
    } const cases[] = {
        {"agent: a", request("a", 1), request("b", 1)},
        {"agent: a", request("a", 1), request("A", 1)},
        {"nth: 2", request("a", 2), request("a", 1)},
        {"after_tool: true", after_tool("a", 1, "5"), request("a", 1)},
        {"after_tool: false", request("a", 1), after_tool("a", 1, "5")},
        {"contains: '5'", after_tool("a", 2, "x5x"), after_tool("a", 2, "6")},
        {"contains: 2+3", request("a", 1, "What is 2+3?"), after_tool("a", 1, "5")},
    };
    for (const auto& c : cases) {
        CAPTURE(c.when);
        const auto model = script(fmt::format("- when: {{{}}}\n  text: ok\n  times: any", c.when));
        CHECK(ask(*model, c.yes).text == "ok");
        CHECK(failure_of(*model, c.no).code == Code::invalid);
    }
}

TEST_CASE("what is heard is everything since the model's last answer, or the last message before it")
{
    Request two_results = after_tool("a", 2, "first");
    two_results.messages.push_back(says(model::Role::tool, "second"));
    two_results.messages.push_back(says(model::Role::user, "use British spelling"));
    two_results.messages.push_back(says(model::Role::system, "be brief"));
    for (const char* words : {"first", "second", "British"}) {
        CAPTURE(words);
        CHECK(ask(*script(fmt::format("- {{when: {{contains: {}, after_tool: true}}, text: ok}}", words)), two_results)
                  .text == "ok");
    }
    for (const char* words : {"What is", "brief"}) {
        CAPTURE(words);
        CHECK(failure_of(*script(fmt::format("- {{when: {{contains: {}}}, text: ok}}", words)), two_results).code ==
              Code::invalid);
    }
    Request answered = request("a", 2, "the question");
    answered.messages.push_back(says(model::Role::assistant, "a draft"));
    CHECK(ask(*script("- {when: {contains: the question, after_tool: false}, text: ok}"), answered).text == "ok");
    CHECK(ask(*script("- text: ok"), Request{}).text == "ok");
}

TEST_CASE("a request that nothing matches fails and shows the nearest entry and the first difference")
{
    struct {
        const char* name;
        const char* text;
        Request asked;
        const char* says;
    } const cases[] = {
        {"fewest broken", "- {when: {agent: a, nth: 2}, text: x}\n- {when: {agent: b, nth: 1}, text: y}",
         request("b", 3, "go on"),
         "no entry of s.yaml answers this request: agent \"b\", model call 3, without a tool's result, hears \"go "
         "on\"\n"
         "nearest is s.yaml:2: it is for model call 1, not 3"},
        {"most held", "- {when: {agent: a, contains: 2+3}, text: x}\n- {when: {agent: b}, text: y}",
         request("a", 1, "2 + 3"), "nearest is s.yaml:1: it wants \"2+3\", which was not heard"},
        {"first of several", "- {when: {agent: b, nth: 2, contains: x}, text: x}", request("a", 1),
         "nearest is s.yaml:1: it is for agent \"b\", not \"a\""},
        {"after_tool", "- {when: {after_tool: true}, text: x}", request("a", 1),
         "nearest is s.yaml:1: it is for a request with a tool's result"},
        {"no tool", "- {when: {after_tool: false}, text: x}", after_tool("a", 1, "5"),
         "with a tool's result, hears \"5\"\nnearest is s.yaml:1: it is for a request without a tool's result"},
        {"empty", "[]", request("a", 1), "the script has no entries"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        const Failure failure = failure_of(*script(c.text), c.asked);
        CHECK(failure.text.c_str() == doctest::Contains(c.says));
        CHECK(failure.code == Code::invalid);
        CHECK(!failure.transient);
    }
    const auto model = script("- text: x\n- text: y");
    ask(*model, request("a", 1));
    ask(*model, request("a", 2));
    CHECK(failure_of(*model, request("a", 3)).text.c_str() ==
          doctest::Contains("nearest is s.yaml:2: it is used up (times: 1)"));
}

TEST_CASE("left over is every entry that was used too seldom, with its line")
{
    const auto model = script(R"(
- text: a
  times: 3
- fail: {status: 500}
- stall_ms: 5
- tool_calls: [{name: clock}]
- json: {a: 1}
- text: as you like
  times: any
)");
    ask(*model, request("x", 1));
    CHECK(model->left_over() == std::vector<std::string>{
                                    "s.yaml:2: used 1 of 3 times: \"a\"",
                                    "s.yaml:4: used 0 of 1 times: fail 500",
                                    "s.yaml:5: used 0 of 1 times: stall_ms",
                                    "s.yaml:6: used 0 of 1 times: calls \"clock\"",
                                    "s.yaml:7: used 0 of 1 times: \"{\\\"a\\\":1}\"",
                                });
}

TEST_CASE("text is streamed in the pieces that the script asks for")
{
    struct {
        const char* entry;
        std::vector<std::string> pieces;
    } const cases[] = {
        {"text: abcdef", {"abcdef"}},
        {"{text: abcdef, chunks: 3}", {"ab", "cd", "ef"}},
        {"{text: abcde, chunks: 3}", {"a", "bc", "de"}},
        {"{text: äöü, chunks: 2}", {"ä", "öü"}},
        {"{text: ab, chunks: 9}", {"a", "b"}},
        {"{text: '', chunks: 9}", {}},
        {"{chunks: [Hello, ' world']}", {"Hello", " world"}},
        {"{text: Hello world, chunks: [Hello, ' world']}", {"Hello", " world"}},
        {"{json: {plan: [a, b]}, chunks: 2}", {"{\"plan\":[", "\"a\",\"b\"]}"}},
    };
    for (const auto& c : cases) {
        CAPTURE(c.entry);
        SimLoop loop;
        Heard heard;
        const auto model = script(fmt::format("- {}", c.entry));
        const llm::Completion answer = run(loop, model->complete(request("a", 1), heard));
        CHECK(heard.pieces == c.pieces);
        CHECK(heard.text() == answer.text);
    }
}

TEST_CASE("a pace passes between two pieces, in the loop's time")
{
    SimLoop loop;
    Heard heard;
    const auto model = script("- {text: abc, chunks: 3, pace_ms: 20}");
    const Instant start = loop.now();
    run(loop, model->complete(request("a", 1), heard));
    CHECK(loop.now() - start == Millis(40));
}

TEST_CASE("a delay passes before the first piece, in the loop's time")
{
    SimLoop loop;
    Heard heard;
    const auto model = script("- {text: late, delay_ms: 20}");
    const Instant start = loop.now();
    CHECK(run(loop, model->complete(request("a", 1), heard)).text == "late");
    CHECK(loop.now() - start == 20ms);
}

TEST_CASE("a stalled answer is silence until its time or the caller's is up")
{
    SimLoop loop;
    Heard heard;
    const auto model = script("- {stall_ms: 60000, times: 2}");
    const Instant start = loop.now();
    CHECK(error_of([&] { run(loop, with_timeout(model->complete(request("a", 1), heard), 30s, "the model")); }) ==
          doctest::Contains("timeout: "));
    CHECK(loop.now() - start == 30s);
    CHECK(heard.pieces.empty());
    const Failure failure = failure_of(*model, request("a", 1));
    CHECK(failure.text == "the scripted model was silent for 1 min and ended without an answer (s.yaml:1)");
    CHECK(failure.code == Code::upstream);
    CHECK(failure.transient);
    CHECK(model->left_over().empty());  // what was given up is used all the same
}

TEST_CASE("failures say whether trying again may help")
{
    struct {
        int status;
        Code code;
        bool transient;
    } const cases[] = {
        {400, Code::upstream, false}, {401, Code::upstream, false},    {404, Code::upstream, false},
        {408, Code::timeout, true},   {429, Code::rate_limited, true}, {500, Code::upstream, true},
        {503, Code::upstream, true},  {504, Code::timeout, true},      {529, Code::upstream, true},
    };
    for (const auto& c : cases) {
        CAPTURE(c.status);
        const Failure failure = failure_of(*script(fmt::format("- fail: {{status: {}}}", c.status)), request("a", 1));
        CHECK(failure.text == fmt::format("the scripted model fails with status {} (s.yaml:1)", c.status));
        CHECK(failure.code == c.code);
        CHECK(failure.transient == c.transient);
        CHECK(!failure.retry_after);
    }
    const auto model = script("- fail: {status: 429, retry_after: 1.5}\n- text: ok");
    CHECK(failure_of(*model, request("a", 1)).retry_after == 1500ms);
    CHECK(ask(*model, request("a", 1)).text == "ok");
}

TEST_CASE("a stream that breaks has given so many characters and no answer")
{
    struct {
        const char* entry;
        std::vector<std::string> pieces;
    } const cases[] = {
        {"{text: cut off here, truncate_after: 7}", {"cut off"}},
        {"{text: äöü, truncate_after: 2, chunks: 3}", {"ä", "ö"}},
        {"{chunks: [ab, cd], truncate_after: 3}", {"ab", "c"}},
        {"{text: ab, truncate_after: 0}", {}},
        {"{text: ab, truncate_after: 9}", {"ab"}},
    };
    for (const auto& c : cases) {
        CAPTURE(c.entry);
        const Failure failure = failure_of(*script(fmt::format("- {}", c.entry)), request("a", 1));
        CHECK(failure.heard == c.pieces);
        CHECK(failure.code == Code::upstream);
        CHECK(failure.transient);
    }
}

TEST_CASE("an answer that is spoilt on its way is the failure that a client would make of it")
{
    struct {
        const char* broken;
        Code code;
        bool transient;
        const char* says;
        std::vector<std::string> pieces;
    } const cases[] = {
        {"{how: cut, after: 1}", Code::upstream, true, "was cut off after 1 pieces (s.yaml:1)", {"ab"}},
        {"{how: stall, after: 2, ms: 5000}", Code::upstream, true, "fell silent for 5 s", {"ab", "cd"}},
        {"{how: error}", Code::upstream, true, "sent an error in its answer", {}},
        {"{how: malformed, after: 9}", Code::upstream, true, "sent what is no JSON", {"ab", "cd"}},
        {"{how: content_type}", Code::upstream, false, "sent text/html", {}},
        {"{how: oversized, bytes: 7}", Code::too_large, false, "sent an answer of 7 bytes", {}},
    };
    for (const auto& c : cases) {
        CAPTURE(c.broken);
        const Failure failure =
            failure_of(*script(fmt::format("- {{text: abcd, chunks: 2, broken: {}}}", c.broken)), request("a", 1));
        CHECK(failure.code == c.code);
        CHECK(failure.transient == c.transient);
        CHECK(failure.text.c_str() == doctest::Contains(c.says));
        CHECK(failure.heard == c.pieces);
    }
}

TEST_CASE("thoughts and the reason of the end are part of the completion")
{
    const llm::Completion answer =
        ask(*script("- {text: abcd, reasoning: abcdefgh, finish_reason: length}"), request("a", 1));
    CHECK(answer.reasoning == "abcdefgh");
    CHECK(answer.finish_reason == "length");
    CHECK(answer.usage.output == 3);
    CHECK(answer.usage.reasoning == 2);
}

TEST_CASE("usage that is not given is a quarter of the bytes, rounded up")
{
    Request asked = request("a", 1, "12345678");
    asked.instructions = "1234";
    asked.tools = std::make_shared<const std::vector<ToolSpec>>(std::vector{ToolSpec{"abcd", "efgh", "{}"}});
    CHECK(ask(*script("- text: abcde"), asked).usage == Usage{.input = 6, .output = 2});  // 22 and 5 bytes
    CHECK(ask(*script("- {text: abcde, usage: {output: 100, cost: 0.5}}"), asked).usage ==
          Usage{.input = 6, .output = 100, .cost = 0.5});
    CHECK(ask(*script("- tool_calls: [{name: add, arguments: {a: 1}}]"), asked).usage.output == 3);  // add{"a":1}
}

TEST_CASE("after a crash at any point the same requests get the same answers, and the same is left over")
{
    constexpr const char* text = R"(
- {when: {agent: a, nth: 2}, text: a2}
- {when: {agent: a}, text: a1}
- {when: {agent: b, contains: item 2}, text: b on 2}
- {when: {agent: b}, text: b, times: 2}
- {when: {agent: a}, fail: {status: 500}}
- {when: {agent: a}, text: a after failure}
- {when: {agent: c}, text: c, times: any}
- {when: {agent: d}, text: never asked}
)";
    // agent a asks for the third time twice, because its first attempt fails
    Request again = request("a", 3);
    again.attempt = 2;
    const std::vector<Request> by_agent[] = {
        {request("a", 1), request("a", 2), request("a", 3), again},
        {request("b", 1, "item 1"), request("b", 2, "item 2"), request("b", 3, "item 3")},
        {request("c", 1), request("c", 2)},
    };
    /// What it says, and what a journal keeps of that.
    const auto answer = [](ScriptModel& model, const Request& asked, std::vector<EarlierCall>& journal) {
        SimLoop loop;
        Heard heard;
        EarlierCall call{.agent = asked.agent, .nth = asked.nth, .attempt = asked.attempt};
        std::string text;
        try {
            const llm::Completion completion = run(loop, model.complete(asked, heard));
            text = completion.text;
            call.mark = completion.mark;
        } catch (const ModelError& error) {
            text = call.mark = error.what();
        }
        journal.push_back(std::move(call));
        return text;
    };
    SeededRandom random(7);
    for (int round = 0; round < 50; ++round) {
        std::vector<Request> order;  // of each agent in turn, the agents mixed
        std::size_t next[3] = {};
        while (order.size() < 9) {
            const auto agent = static_cast<std::size_t>(random.below(3));
            if (next[agent] < by_agent[agent].size()) order.push_back(by_agent[agent][next[agent]++]);
        }
        const auto whole = script(text);
        std::vector<EarlierCall> journal;
        std::vector<std::string> expected;
        for (const Request& asked : order) expected.push_back(answer(*whole, asked, journal));

        for (std::size_t crash = 0; crash < order.size(); ++crash) {
            const auto end = journal.begin() + static_cast<std::ptrdiff_t>(crash);
            const auto earlier = std::make_shared<const std::vector<EarlierCall>>(journal.begin(), end);
            const auto resumed = script(text);
            for (std::size_t i = crash; i < order.size(); ++i) {
                Request asked = order[i];
                asked.earlier = earlier;  // as it was when the run was loaded, with each request
                std::vector<EarlierCall> more;
                CHECK(answer(*resumed, asked, more) == expected[i]);
            }
            CHECK(resumed->left_over() == whole->left_over());
        }
        CHECK(whole->left_over() == std::vector<std::string>{"s.yaml:9: used 0 of 1 times: \"never asked\""});
    }
}

TEST_CASE("what a script itself has answered is counted once, though the journal tells of it too")
{
    const auto model = script("- {text: one, times: 2}\n- {text: two}\n");
    Request asked = request("a", 1);
    const std::string mark = ask(*model, asked).mark;
    CHECK(mark.starts_with("s.yaml#1 "));
    asked.nth = 2;
    asked.earlier = std::make_shared<const std::vector<EarlierCall>>(
        std::vector<EarlierCall>{{.agent = "a", .nth = 1, .attempt = 1, .mark = mark}});
    CHECK(ask(*model, asked).text == "one");
    asked.nth = 3;
    CHECK(ask(*model, asked).text == "two");
}

TEST_CASE("what another model or another script has answered uses up nothing")
{
    const auto model = script("- {text: x}");
    Request asked = request("a", 2);
    std::vector<EarlierCall> calls;
    for (const char* mark : {"t.yaml#1 00000000", "s.yaml#1 00000000", "upstream is down (s.yaml:1)",
                             "the scripted model fails (s.yaml:9)"})
        calls.push_back({.agent = "a", .nth = static_cast<int>(calls.size()) + 10, .attempt = 1, .mark = mark});
    asked.earlier = std::make_shared<const std::vector<EarlierCall>>(std::move(calls));
    CHECK(ask(*model, asked).text == "x");
}
