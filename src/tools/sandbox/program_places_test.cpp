#include "tools/sandbox/program_places.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "base/timeout.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace cadre;
using namespace std::chrono_literals;

namespace {

struct Counted {
    std::size_t now = 0, most = 0, done = 0;
};

Async<> work(tools::ProgramPlaces& places, Counted& counted)
{
    const auto place = co_await places.enter();
    counted.most = std::max(counted.most, ++counted.now);
    co_await sleep_for(10ms);
    --counted.now;
    ++counted.done;
}

Async<> all_of(tools::ProgramPlaces& places, Counted& counted)
{
    AsyncScope scope(co_await this_context());
    for (int i = 0; i < 1024; ++i) scope.spawn(work(places, counted));
    co_await scope.join();
    co_await scope.close();
}

}  // namespace

TEST_CASE("attack 29: of a thousand programs only so many run at once, and all of them run")
{
    SimLoop loop(1);
    tools::ProgramPlaces places(4);
    Counted counted;
    run(loop, all_of(places, counted));
    CHECK(counted.most == 4);
    CHECK(counted.done == 1024);
    CHECK(!places.is_full());
}

TEST_CASE("programs at once are bounded by the cores of the machine")
{
    CHECK(tools::program_places().most() >= 2);
    CHECK(tools::program_places().most() % 2 == 0);
}
