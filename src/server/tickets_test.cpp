#include "server/tickets.hpp"

#include "base/random.hpp"
#include "server/problem.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::server;
using namespace std::chrono_literals;

TEST_CASE("tickets: one is good once, in time, for what it was given for")
{
    SeededRandom random(7);
    Tickets tickets(random);
    const Instant now{};
    const auto make = [&] { return tickets.issue("Bearer x", "GET", "/tasks/1/stream", now); };
    const std::string first = make();
    CHECK(tickets.redeem(first, "GET", "/tasks/1/stream", now + 29s) == "Bearer x");
    CHECK(!tickets.redeem(first, "GET", "/tasks/1/stream", now));
    CHECK(!tickets.redeem(make(), "GET", "/tasks/1/stream", now + 30s));
    CHECK(!tickets.redeem(make(), "GET", "/tasks/2/stream", now));
    CHECK(!tickets.redeem(make(), "POST", "/tasks/1/stream", now));
    const std::string tried = make();
    CHECK(!tickets.redeem(tried, "GET", "/other", now));
    CHECK(!tickets.redeem(tried, "GET", "/tasks/1/stream", now));  // who tries it elsewhere loses it
    CHECK(!tickets.redeem("", "GET", "/tasks/1/stream", now));
    CHECK(make() != make());
}

TEST_CASE("tickets: there are only so many, and old ones make room")
{
    SeededRandom random(7);
    Tickets tickets(random);
    const Instant now{};
    for (std::size_t i = 0; i < Tickets::kMost; ++i) tickets.issue("", "GET", "/", now);
    CHECK_THROWS_AS(tickets.issue("", "GET", "/", now + 29s), Refusal);
    CHECK(!tickets.issue("", "GET", "/", now + 30s).empty());
}
