#include "llm/http_model.hpp"

#include "base/timeout.hpp"
#include "llm/test_http.hpp"
#include "llm/wire/answer.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::llm;
using namespace cadre::llm::test;

namespace {

constexpr const char* kHi = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}],"
                            "\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":100,"
                            "\"prompt_tokens_details\":{\"cached_tokens\":400}}}\n\n";
constexpr const char* kDone = "data: [DONE]\n\n";
constexpr const char* kStart = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n";
constexpr const char* kText = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n";

std::string header(const net::HttpRequest& request, std::string_view name)
{
    return std::string(net::find_header(request.headers, name).value_or("none"));
}

net::HttpRequest asked(const Endpoint& at)
{
    ScriptedHttp http;
    HttpModel model(http, at);
    SimLoop loop;
    Heard heard;
    CHECK_THROWS_AS(run(loop, model.complete(hello(), heard)), ModelError);
    REQUIRE(http.asked.size() == 1);
    return http.asked[0];
}

/// Lets in after a while, and keeps what it hears.
struct TestGate final : Gate {
    Async<> enter(std::int64_t about, ChunkSink& sink) override
    {
        tokens = about;
        if (refuses) throw ModelError(Code::unavailable, "circuit_open", ModelFault{.dispatched = false});
        const Context& context = co_await this_context();
        sink.throttled(later(context.loop->now(), Millis(2000)));
        co_await sleep_for(Millis(2000));
        entered = true;
    }
    void withdraw() noexcept override { ++withdrawn; }
    void ended(bool well) noexcept override { ended_well.push_back(well); }
    void learn(int status, const net::HttpHeaders& headers) noexcept override
    {
        heard += std::to_string(status) + ":" + std::string(net::find_header(headers, "x-left").value_or("")) + " ";
    }
    std::int64_t tokens = 0;
    bool refuses = false, entered = false;
    int withdrawn = 0;
    std::vector<bool> ended_well;
    std::string heard;
};

}  // namespace

TEST_CASE("requests go where the vendor listens, with its key in its header")
{
    const net::HttpRequest openai = asked(endpoint("openai", "gpt-5-mini"));
    CHECK(openai.method == "POST");
    CHECK(openai.url == "https://api.openai.com/v1/chat/completions");
    CHECK(header(openai, "authorization") == "Bearer sk-test-0123456789abcdef");
    CHECK(header(openai, "content-type") == "application/json");
    CHECK(!openai.foreign);
    CHECK(openai.patience.idle == Millis(30'000));

    const net::HttpRequest claude = asked(endpoint("anthropic", "claude-opus-5"));
    CHECK(claude.url == "https://api.anthropic.com/v1/messages");
    CHECK(header(claude, "x-api-key") == "sk-test-0123456789abcdef");
    CHECK(header(claude, "authorization") == "none");
    CHECK(header(claude, "anthropic-version") == "2023-06-01");

    Endpoint proxied = endpoint("anthropic", "claude-opus-5");
    proxied.base_url = "http://127.0.0.1:9/v1";
    proxied.key = {};
    proxied.silence = Millis(5000);
    proxied.vendor.headers["X-Team"] = "a";
    const net::HttpRequest local = asked(proxied);
    CHECK(local.url == "http://127.0.0.1:9/v1/messages");
    CHECK(header(local, "x-api-key") == "none");
    CHECK(header(local, "x-team") == "a");
    CHECK(local.patience.connect == Millis(5000));
    CHECK(local.patience.first_byte == Millis(5000));

    CHECK(header(asked(endpoint("azure", "my-deployment")), "api-key") == "sk-test-0123456789abcdef");
}

TEST_CASE(
    "a stream that breaks off: before its first text it may be asked again as if nothing had been, later it was shown")
{
    const Endpoint at = endpoint("openai", "gpt-5-mini");
    const net::HttpError cut(Code::upstream, "the connection was cut", true);
    CHECK(outcome(at, {.pieces = {kStart}, .breaks = cut}) == "upstream!: openai: the connection was cut");
    CHECK(outcome(at, {.pieces = {kStart, kText}, .breaks = cut}) == "upstream! shown: openai: the connection was cut");
    CHECK(outcome(at, {.pieces = {kStart, kText}}) == "upstream! shown: the answer of openai broke off before its end");
    // what had come was the whole answer
    CHECK(outcome(at, {.pieces = {kHi}, .breaks = cut}) == "Hi |  | stop | 1000/100/400/0");
    CHECK(outcome(at, {.pieces = {kHi, kDone}, .breaks = cut}) == "Hi |  | stop | 1000/100/400/0");
}

TEST_CASE("a failure of the connection says whether the vendor may have seen the request")
{
    struct {
        Code code;
        bool dispatched, transient;
    } const cases[] = {{Code::unavailable, false, true}, {Code::timeout, true, true},    {Code::upstream, true, true},
                       {Code::forbidden, false, false},  {Code::too_large, true, false}, {Code::invalid, false, false}};
    for (const auto& c : cases) {
        CAPTURE(name_of(c.code));
        ScriptedHttp http;
        http.script.push_back({.refused = net::HttpError(c.code, "no", c.dispatched)});
        HttpModel model(http, endpoint("openai", "gpt-5-mini"));
        SimLoop loop;
        Heard heard;
        try {
            run(loop, model.complete(hello(), heard));
            FAIL("it must throw");
        } catch (const ModelError& error) {
            CHECK(error.code() == c.code);
            CHECK(error.dispatched() == c.dispatched);
            CHECK(error.transient() == c.transient);
            CHECK(!error.shown());
            CHECK(std::string(error.what()).starts_with("openai: no"));
        }
    }
}

TEST_CASE("what an answer cost follows from prices; what nobody knows the price of is not free")
{
    llm::Completion completion;
    outcome(endpoint("openai", "gpt-4o-2024-08-06"), {.pieces = {kHi, kDone}}, &completion);
    CHECK(completion.usage.cost == doctest::Approx((600 * 2.5 + 400 * 1.25 + 100 * 10.0) / 1e6));
    CHECK(!completion.usage.unpriced);
    CHECK(!completion.usage.estimated);
    outcome(endpoint("openai", "gpt-9"), {.pieces = {kHi, kDone}}, &completion);
    CHECK(completion.usage.cost == 0);
    CHECK(completion.usage.unpriced);
    outcome(endpoint("ollama", "llama3"), {.pieces = {kHi, kDone}}, &completion);
    CHECK(completion.usage.cost == 0);
    CHECK(!completion.usage.unpriced);
    outcome(endpoint("openai", "gpt-4o"),
            {.pieces = {kText, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"}}, &completion);
    CHECK(completion.usage.estimated);
    CHECK(completion.usage.input == 5);
    CHECK(completion.usage.output == 1);
    CHECK(completion.usage.cost == doctest::Approx((5 * 2.5 + 10.0) / 1e6));
    CHECK(completion.model == "openai/gpt-4o");
}

TEST_CASE("attack 31: tokens that a vendor does not count, or says were none, are counted by us")
{
    for (const char* usage :
         {R"({"prompt_tokens":0,"completion_tokens":0})", R"({"prompt_tokens":0.4,"completion_tokens":0.9})",
          R"({"prompt_tokens":1e30,"completion_tokens":1e30})", R"({"prompt_tokens":-7,"completion_tokens":0})",
          R"({"prompt_tokens":"9","completion_tokens":[]})", "{}", "null"}) {
        CAPTURE(usage);
        llm::Completion completion;
        outcome(endpoint("openai", "gpt-4o"),
                {.pieces = {std::string(
                                R"({"choices":[{"message":{"content":"A long answer."},"finish_reason":"stop"}],)") +
                            "\"usage\":" + usage + "}"}},
                &completion);
        CHECK(completion.usage.estimated);
        CHECK(completion.usage.input == 5);
        CHECK(completion.usage.output == 4);
        CHECK(completion.usage.cost > 0);
    }
    llm::Completion half;
    outcome(endpoint("openai", "gpt-4o"),
            {.pieces = {R"({"choices":[{"message":{"content":"A long answer."},"finish_reason":"stop"}],)"
                        R"("usage":{"prompt_tokens":700,"completion_tokens":0}})"}},
            &half);
    CHECK(half.usage.input == 700);  // what it did count is believed
    CHECK(half.usage.output == 4);
}

TEST_CASE("prices: long conversations are dearer, and the most that something can cost is no less than what it does")
{
    const model::ProviderModel gpt = facts_of(*model::built_in_providers().providers.find("openai"), "gpt-5.5");
    CHECK(*cost_of(gpt, {.input = 272'000, .output = 10}) == doctest::Approx((272'000 * 5.0 + 10 * 30.0) / 1e6));
    CHECK(*cost_of(gpt, {.input = 272'001, .output = 10}) == doctest::Approx((272'001 * 10.0 + 10 * 45.0) / 1e6));
    const model::ProviderModel claude =
        facts_of(*model::built_in_providers().providers.find("anthropic"), "claude-opus-5");
    CHECK(*most_cost(claude, 1000, 10) == doctest::Approx((1000 * 6.25 + 10 * 25.0) / 1e6));
    CHECK(*most_cost(claude, 1000, 10) >=
          *cost_of(claude, {.input = 1000, .cached = 300, .cache_write = 500, .output = 10}));
    CHECK(!most_cost({.input_price = 1.0}, 1, 1));
}

TEST_CASE("a gate is asked before each request, is told what came of it, and can refuse")
{
    ScriptedHttp http;
    TestGate gate;
    HttpModel model(http, endpoint("openai", "gpt-4o"), &gate);
    SimLoop loop;
    Heard heard;
    Request request = hello();
    request.options.max_tokens = 100;
    http.script.push_back({.headers = {{"X-Left", "7"}}, .pieces = {kHi, kDone}});
    const Instant begin = loop.now();
    run(loop, model.complete(request, heard));
    CHECK(loop.now() - begin >= Millis(2000));
    CHECK(gate.tokens == 105);
    CHECK(heard.waits == 1);
    http.script.push_back({.status = 429});
    CHECK_THROWS_AS(run(loop, model.complete(request, heard)), ModelError);
    http.script.push_back({.refused = net::HttpError(Code::unavailable, "no", false)});
    CHECK_THROWS_AS(run(loop, model.complete(request, heard)), ModelError);
    CHECK(gate.heard == "200:7 429: 0: ");
    gate.refuses = true;
    http.asked.clear();
    CHECK_THROWS_WITH_AS(run(loop, model.complete(request, heard)), "circuit_open", ModelError);
    CHECK(http.asked.empty());
}

TEST_CASE("a key is never in what goes wrong, whatever the vendor repeats")
{
    const Endpoint at = endpoint("openai", "gpt-5-mini");
    const std::string key(at.key.reveal());
    const std::string bodies[] = {R"({"error":{"message":"bad key )" + key + R"("}})", key,
                                  "{\"error\":\"" + key + "\"}", R"({"error":{"type":")" + key + R"("}})"};
    for (const int status : {400, 401, 403, 404, 429, 500})
        for (const std::string& body : bodies) {
            const std::string said =
                outcome(at, {.status = status, .headers = {{"x-request-id", key}}, .pieces = {body}});
            CAPTURE(said);
            CHECK(said.find(key) == said.npos);
        }
    const std::string said = outcome(at, {.pieces = {"data: {\"error\":{\"message\":\"" + key + "\"}}\n\n"}});
    CHECK(said.find(key) == said.npos);
}

TEST_CASE("attack 16: a vendor that repeats the key gets it into no field of the answer, however it is cut")
{
    const std::string key = "sk-test-0123456789abcdef";
    const auto data = [](const std::string& json) { return "data: " + json + "\n\n"; };
    const std::string half = R"({"model":")" + key +
                             R"(","choices":[{"delta":{"content":"the key sk-test-01234","reasoning_content":")" + key +
                             R"("}}]})";
    const std::string rest = R"({"choices":[{"delta":{"content":"56789abcdef it is","tool_calls":[{"index":0,"id":")" +
                             key + R"(","function":{"name":")" + key + R"(","arguments":"{\")" + key + R"(\":\")" +
                             key + R"(\"}"}}]}}]})";
    const std::string end = R"({"choices":[{"delta":{},"finish_reason":")" + key + R"("}]})";
    ScriptedHttp http;
    const std::string first = data(half), second = data(rest), third = data(end);
    http.script.push_back({.pieces = {first, second, third, kDone}});
    HttpModel model(http, endpoint("openai", "gpt-5-mini"));
    SimLoop loop;
    Heard heard;
    const llm::Completion answer = run(loop, model.complete(hello(), heard));
    CHECK(heard.text == "the key [redacted] it is");
    CHECK(answer.text == "the key [redacted] it is");
    for (const std::string& text : {answer.reasoning, answer.model, answer.finish_reason, answer.opaque})
        CHECK(text.find(key) == std::string::npos);
    REQUIRE(answer.calls.size() == 1);
    CHECK(answer.calls[0].id.find(key) == std::string::npos);
    CHECK(answer.calls[0].tool_name.find(key) == std::string::npos);
    CHECK(answer.calls[0].args.size() == 1);
    CHECK(answer.calls[0].args.begin()->key() == "[redacted]");
    CHECK(answer.calls[0].args.begin()->value() == "[redacted]");
}
