#include "base/join.hpp"
#include "base/random.hpp"
#include "base/timeout.hpp"
#include "llm/key_gate.hpp"
#include "llm/test_http.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::llm;
using namespace cadre::llm::test;

namespace {

const std::string kHi = R"({"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],)"
                        R"("usage":{"prompt_tokens":5,"completion_tokens":1}})";

Scripted fine()
{
    return {.pieces = {kHi}};
}

Scripted busy(net::HttpHeaders headers)
{
    return {.status = 429, .headers = std::move(headers), .pieces = {R"({"error":{"message":"slow down"}})"}};
}

Scripted broken()
{
    return {.status = 500, .pieces = {R"({"error":{"message":"oops"}})"}};
}

/// When requests left, in milliseconds of virtual time.
class TimedHttp final : public net::Http {
public:
    explicit TimedHttp(SimLoop& loop) : loop_(loop) {}
    Async<std::unique_ptr<net::HttpReply>> send(net::HttpRequest request) override
    {
        left.push_back(std::chrono::duration_cast<Millis>(loop_.now() - Instant{}).count());
        co_return co_await inner.send(std::move(request));
    }

    ScriptedHttp inner;
    std::vector<std::int64_t> left;

private:
    SimLoop& loop_;
};

struct Desk {
    Desk()
        : http(loop),
          gate("openai", loop, random, Log(descriptor_sink(-1), Level::off)),
          model(patient(std::make_shared<HttpModel>(http, endpoint("openai", "gpt-5-mini"), &gate)))
    {}
    Async<std::string> ask()
    {
        try {
            co_return (co_await model->complete(hello(), heard)).text;
        } catch (const ModelError& error) {
            co_return std::string(name_of(error.code())) + ": " + error.what();
        }
    }
    std::string answer() { return run(loop, ask()); }
    void pass(Millis time) { run(loop, sleep_for(time)); }

    SimLoop loop;
    SeededRandom random{1};
    TimedHttp http;
    KeyGate gate;
    std::shared_ptr<Model> model;
    Heard heard;
};

}  // namespace

TEST_CASE("429 with Retry-After: every agent on that key leaves then, within half a second")
{
    Desk desk;
    desk.http.inner.script.push_back(busy({{"Retry-After", "2"}}));
    for (int i = 0; i < 8; ++i) desk.http.inner.script.push_back(fine());
    std::vector<Async<std::string>> agents;
    agents.push_back(desk.ask());
    const auto late = [&desk]() -> Async<std::string> {
        co_await sleep_for(Millis(100));  // the refusal is known by now
        co_return co_await desk.ask();
    };
    for (int i = 0; i < 7; ++i) agents.push_back(late());
    for (const std::string& text : run(desk.loop, all(std::move(agents)))) CHECK(text == "Hi");
    REQUIRE(desk.http.left.size() == 9);
    CHECK(desk.http.left[0] == 0);
    for (std::size_t i = 1; i < desk.http.left.size(); ++i) {
        CHECK(desk.http.left[i] >= 2000);
        CHECK(desk.http.left[i] <= 2500);
    }
    CHECK(desk.heard.waits == 8);
}

TEST_CASE("429 without Retry-After backs off, longer each time")
{
    Desk desk;
    for (int i = 0; i < 3; ++i) desk.http.inner.script.push_back(busy({}));
    desk.http.inner.script.push_back(fine());
    CHECK(desk.answer() == "Hi");
    REQUIRE(desk.http.left.size() == 4);
    for (std::size_t i = 1; i < 4; ++i) {
        const auto waited = desk.http.left[i] - desk.http.left[i - 1];
        CHECK(waited >= (1000 << (i - 1)));
        CHECK(waited <= (1000 << (i - 1)) + 500);
    }
}

TEST_CASE("attack 13: 429 with Retry-After 0, or next to nothing, backs off, longer each time")
{
    for (const char* at_once : {"0", "0.001", "-5", "soon"}) {
        CAPTURE(at_once);
        Desk desk;
        for (int i = 0; i < 5; ++i) desk.http.inner.script.push_back(busy({{"Retry-After", at_once}}));
        desk.http.inner.script.push_back(fine());
        CHECK(desk.answer() == "Hi");
        REQUIRE(desk.http.left.size() == 6);
        for (std::size_t i = 1; i < 6; ++i) CHECK(desk.http.left[i] - desk.http.left[i - 1] >= (1000 << (i - 1)));
        CHECK(desk.heard.waits == 5);  // and each wait is told
    }
}

TEST_CASE("attack 12: a vendor is left alone for as long as it says, however long that is")
{
    Desk desk;
    desk.http.inner.script.push_back(busy({{"Retry-After", "18000"}}));
    desk.http.inner.script.push_back(fine());
    CHECK(desk.answer() == "Hi");
    REQUIRE(desk.http.left.size() == 2);
    CHECK(desk.http.left[1] >= 18'000'000);
}

TEST_CASE("the deadline wins: a turn that comes too late is refused at once")
{
    Desk desk;
    desk.http.inner.script.push_back(busy({{"Retry-After", "60"}}));
    const auto asks = [&]() -> Async<std::string> {
        co_return co_await with_timeout(desk.ask(), Millis(5000), "the call");
    };
    CHECK(run(desk.loop, asks()) == "rate_limited: throttled: openai allows the next request in 1 min");
    CHECK(desk.loop.now() == Instant{});
}

TEST_CASE("five failures open the breaker, the next call fails at once, a probe closes it")
{
    Desk desk;
    for (int i = 0; i < 5; ++i) desk.http.inner.script.push_back(broken());
    for (int i = 0; i < 5; ++i) CHECK(desk.answer().starts_with("upstream: "));
    CHECK(desk.gate.state() == BreakerState::open);
    CHECK(desk.answer() == "upstream: circuit_open: openai has failed 5 times in a row; the next try is in 30 s");
    CHECK(desk.http.left.size() == 5);

    desk.pass(Millis(30'000));
    desk.http.inner.script.push_back(broken());
    CHECK(desk.answer().starts_with("upstream: "));  // the probe fails: twice as long
    desk.pass(Millis(30'000));
    CHECK(desk.answer().starts_with("upstream: circuit_open"));
    desk.pass(Millis(30'000));
    desk.http.inner.script.push_back(fine());
    CHECK(desk.answer() == "Hi");
    CHECK(desk.gate.state() == BreakerState::closed);
}

TEST_CASE("what a vendor says is left is what is used")
{
    Desk desk;
    desk.http.inner.script.push_back(
        {.headers = {{"x-ratelimit-remaining-requests", "1"}, {"x-ratelimit-reset-requests", "6s"}}, .pieces = {kHi}});
    for (int i = 0; i < 3; ++i) desk.http.inner.script.push_back(fine());
    for (int i = 0; i < 3; ++i) CHECK(desk.answer() == "Hi");
    REQUIRE(desk.http.left.size() == 3);
    CHECK(desk.http.left[1] == 0);
    CHECK(desk.http.left[2] >= 6000);
    CHECK(desk.http.left[2] <= 6500);
}

TEST_CASE("durations in headers")
{
    CHECK(header_duration("1s") == Millis(1000));
    CHECK(header_duration("6m0s") == Millis(360'000));
    CHECK(header_duration("250ms") == Millis(250));
    CHECK(header_duration("1h2m3.5s") == Millis(3'600'000));  // an hour is the most
    CHECK(header_duration("1.5s") == Millis(1500));
    for (const char* text : {"", "s", "5", "-1s", "1x", "1s2", "1e3s"}) CHECK(!header_duration(text));
}
