#include "base/channel.hpp"

#include "base/async_scope.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "base/timeout.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace std::chrono_literals;

namespace {

Async<> produce(Channel<int>& channel, int from, int count, int& sent)
{
    for (int i = 0; i < count; ++i) {
        co_await channel.send(from + i);
        ++sent;
    }
}

Async<> consume(Channel<int>& channel, std::vector<int>& got)
{
    while (auto value = co_await channel.receive()) got.push_back(*value);
}

}  // namespace

TEST_CASE("values arrive in order, the sender waits at the bound, and closing ends the receiver")
{
    SimLoop loop;
    Channel<int> channel(3);
    AsyncScope scope(loop);
    int sent = 0;
    std::vector<int> got;
    scope.spawn(produce(channel, 0, 10, sent));
    loop.settle();
    CHECK(sent == 3);
    CHECK(channel.size() == 3);
    scope.spawn(consume(channel, got));
    loop.settle();
    CHECK(sent == 10);
    CHECK(got == std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    CHECK(scope.size() == 1);
    channel.close();
    loop.settle();
    CHECK(scope.size() == 0);
}

TEST_CASE("a full or closed channel refuses without taking the value")
{
    Channel<std::string> channel(1);
    std::string first = "first", second = "second";
    CHECK(channel.try_send(std::move(first)));
    CHECK_FALSE(channel.try_send(std::move(second)));
    CHECK(second == "second");
    channel.close();
    CHECK_FALSE(channel.try_send(std::move(second)));
    SimLoop loop;
    CHECK_THROWS_AS(run(loop, [](Channel<std::string>& c) -> Async<> { co_await c.send("x"); }(channel)), Error);
}

TEST_CASE("a value given back by a destroyed receiver does not make the channel grow")
{
    SimLoop loop;
    Channel<int> channel(1);
    AsyncScope senders(loop);
    int sent = 0;
    std::vector<int> got;
    auto receivers = std::make_unique<AsyncScope>(loop);
    for (int i = 0; i < 5; ++i) receivers->spawn(consume(channel, got));
    for (int i = 0; i < 20; ++i) senders.spawn(produce(channel, i, 1, sent));
    receivers.reset();  // handed five values, resumed with none
    CHECK(channel.size() <= 6);
    run(loop, [](Channel<int>& c) -> Async<> {
        for (int i = 0; i < 6; ++i) co_await c.receive();
    }(channel));
    CHECK(channel.size() <= 1);
}

TEST_CASE("closing fails the senders that wait, and keeps what was sent before")
{
    SimLoop loop;
    Channel<int> channel(2);
    AsyncScope scope(loop);
    int sent = 0;
    scope.spawn(produce(channel, 0, 5, sent));
    channel.close();
    loop.settle();
    CHECK_THROWS_AS(scope.rethrow_failure(), Error);
    std::vector<int> got;
    run(loop, consume(channel, got));
    CHECK(got == std::vector{0, 1});
}

TEST_CASE("nothing is lost or doubled when receivers and senders are cancelled or destroyed at any moment")
{
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        CAPTURE(seed);
        SimLoop loop(seed);
        SeededRandom random(seed * 7 + 1);
        Channel<int> channel(1 + random.below(3));
        int sent = 0;
        std::vector<int> got;
        {
            AsyncScope senders(loop);
            std::vector<std::unique_ptr<AsyncScope>> receivers;
            for (int i = 0; i < 3; ++i) senders.spawn(produce(channel, 100 * i, 10, sent));
            for (int i = 0; i < 6; ++i) {
                auto& scope = receivers.emplace_back(std::make_unique<AsyncScope>(loop));
                scope->spawn(consume(channel, got));
                for (auto steps = random.below(6); steps > 0; --steps) loop.step();
                if (random.below(2) == 0) scope->cancel();
                for (auto steps = random.below(3); steps > 0; --steps) loop.step();
                if (random.below(2) == 0) scope.reset();
            }
        }
        channel.close();
        std::vector<int> rest;
        run(loop, consume(channel, rest));
        got.insert(got.end(), rest.begin(), rest.end());
        // a send may have succeeded although its sender was destroyed before it heard of it
        CHECK(got.size() >= static_cast<std::size_t>(sent));
        CHECK(got.size() <= static_cast<std::size_t>(sent) + 3);
        std::sort(got.begin(), got.end());
        CHECK(std::adjacent_find(got.begin(), got.end()) == got.end());
    }
}
