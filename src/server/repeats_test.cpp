#include "server/repeats.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "base/timeout.hpp"
#include "server/problem.hpp"
#include "storage/memory/memory_store.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::server;
using test::error_of;

namespace {

using namespace std::chrono_literals;

/// Something that must be done once.
struct Deed {
    Async<KeptAnswer> work(Millis takes = 0ms)
    {
        ++times;
        if (takes > 0ms) co_await sleep_for(takes);
        if (fails) throw Error(*fails, "it cannot be done");
        co_return KeptAnswer{.status = 202, .location = "/x", .text = "{\"n\":" + std::to_string(times) + "}"};
    }
    KeptAnswer ask(const std::string& digest = "d", const std::string& id = "k")
    {
        return run(loop, repeats.once({id, digest}, {work()}));
    }

    SimLoop loop;
    storage::MemoryStore store;
    Repeats repeats{store, loop.clock()};
    int times = 0;
    std::optional<Code> fails;
};

}  // namespace

TEST_CASE("repeats: what was done is not done again, and answered as before, over restarts")
{
    Deed deed;
    const KeptAnswer first = deed.ask();
    CHECK_FALSE(first.replayed);
    for (int i = 0; i < 2; ++i) {
        Repeats again(deed.store, deed.loop.clock());
        const KeptAnswer second = run(deed.loop, again.once({"k", "d"}, {deed.work()}));
        CHECK(second.replayed);
        CHECK(second.status == 202);
        CHECK(second.location == "/x");
        CHECK(second.text == first.text);
    }
    CHECK(deed.times == 1);
    CHECK_FALSE(deed.ask("d", "another").replayed);
    CHECK(deed.times == 2);
}

TEST_CASE("repeats: a key is for one request")
{
    Deed deed;
    deed.ask();
    CHECK(error_of([&] { deed.ask("other"); }) == doctest::Contains("invalid: the Idempotency-Key was used"));
    CHECK(deed.times == 1);
}

TEST_CASE("repeats: what was refused may be tried again, and what failed on the way is not known to be undone")
{
    Deed deed;
    deed.fails = Code::conflict;
    CHECK(error_of([&] { deed.ask(); }) == "conflict: it cannot be done");
    deed.fails.reset();
    CHECK_FALSE(deed.ask().replayed);

    Deed other;
    other.fails = Code::unavailable;
    CHECK(error_of([&] { other.ask(); }) == "unavailable: it cannot be done");
    other.fails.reset();
    CHECK(error_of([&] { other.ask(); }) == doctest::Contains("conflict: the server stopped while it did this"));
    CHECK(other.times == 1);
}

TEST_CASE("repeats: a crash between the deed and its answer is neither repeated nor taken for done")
{
    Deed deed;
    {
        AsyncScope scope(deed.loop);
        scope.spawn([](Deed& at) -> Async<> { co_await at.repeats.once({"k", "d"}, {at.work(1h)}); }(deed));
        deed.loop.settle();
        CHECK(deed.times == 1);
    }
    Repeats again(deed.store, deed.loop.clock());
    CHECK(error_of([&] { run(deed.loop, again.once({"k", "d"}, {deed.work()})); }) == doctest::Contains("conflict: "));
    CHECK(deed.times == 1);
}

TEST_CASE("repeats: who can tell how far the first attempt came tries again, and hears where things stood before it")
{
    Deed deed;
    std::uint32_t stands = 7;
    std::optional<std::uint32_t> heard;
    const auto attempt = [&] {
        return Repeatable{.work = deed.work(),
                          .where = [&] { return [](std::uint32_t n) -> Async<std::uint32_t> { co_return n; }(stands); },
                          .again = [&](std::uint32_t since) { heard = since; }};
    };
    deed.fails = Code::unavailable;
    CHECK(error_of([&] { run(deed.loop, deed.repeats.once({"k", "d"}, attempt())); }) ==
          "unavailable: it cannot be done");
    CHECK(!heard);
    stands = 9;  // what the first attempt has changed
    deed.fails.reset();
    deed.loop.manual_clock().advance(24h);
    Repeats again(deed.store, deed.loop.clock());
    CHECK_FALSE(run(deed.loop, again.once({"k", "d"}, attempt())).replayed);
    CHECK(heard == 7U);
    heard.reset();
    CHECK(run(deed.loop, again.once({"k", "d"}, attempt())).replayed);
    CHECK(!heard);
    CHECK(deed.times == 2);
}

TEST_CASE("repeats: requests about the same thing go one after the other, until the first lets the next one begin")
{
    Deed deed;
    std::shared_ptr<void> held;
    AsyncScope scope(deed.loop);
    const auto begin = [&](std::string id) {
        scope.spawn([](Deed& at, std::string key, std::shared_ptr<void>& turn) -> Async<> {
            co_await at.repeats.once(
                {key, "d", "task"},
                {.work = at.work(1s), .hold = [&turn](std::shared_ptr<void> t) { turn = std::move(t); }});
        }(deed, std::move(id), held));
    };
    begin("a");
    begin("b");
    deed.loop.settle();
    CHECK(deed.times == 1);
    held.reset();
    deed.loop.settle();
    CHECK(deed.times == 2);
    held.reset();
    run(deed.loop, scope.join());
}

TEST_CASE("repeats: a second request waits for the first one's answer")
{
    Deed deed;
    AsyncScope scope(deed.loop);
    std::vector<KeptAnswer> answers;
    for (int i = 0; i < 3; ++i)
        scope.spawn([](Deed& at, std::vector<KeptAnswer>& all) -> Async<> {
            all.push_back(co_await at.repeats.once({"k", "d"}, {at.work(1s)}));
        }(deed, answers));
    run(deed.loop, scope.join());
    REQUIRE(answers.size() == 3);
    CHECK(deed.times == 1);
    CHECK_FALSE(answers[0].replayed);
    CHECK(answers[1].replayed);
    CHECK(answers[2].text == answers[0].text);
}

TEST_CASE("repeats: what is told once is not kept")
{
    Deed deed;
    run(deed.loop, deed.repeats.once({"k", "d"}, {[]() -> Async<KeptAnswer> {
                                         co_return KeptAnswer{.text = "the secret", .kept = "without it"};
                                     }()}));
    CHECK(deed.ask().text == "without it");
    CHECK(run(deed.loop, deed.store.list(std::string(kRequestDocument))).front().text.find("secret") ==
          std::string::npos);
}

TEST_CASE("repeats: answers are kept for a day, and those of days that are over are removed")
{
    Deed deed;
    deed.ask();
    deed.loop.manual_clock().advance(24h);
    CHECK(deed.ask().replayed);
    deed.loop.manual_clock().advance(24h);
    CHECK_FALSE(deed.ask().replayed);
    CHECK(run(deed.loop, deed.store.list(std::string(kRequestDocument))).size() == 1);
}

TEST_CASE("repeats: a key is 1 to 128 visible characters")
{
    CHECK_NOTHROW(expect_repeat_key("a"));
    CHECK_NOTHROW(expect_repeat_key(std::string(128, '~')));
    for (const std::string& key : {std::string(), std::string(129, 'a'), std::string("a b"), std::string("\xC3\xA9")})
        CHECK_THROWS_AS(expect_repeat_key(key), net::HttpRefusal);
}
