#include "base/race.hpp"

#include "base/async_mutex.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "base/timeout.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace cadre;
using cadre::test::error_of;

namespace {

Async<> note_after(std::string& log, char what, int ms)
{
    co_await sleep_for(Millis(ms));
    log += what;
}

Async<> fail_after(int ms)
{
    co_await sleep_for(Millis(ms));
    throw Error(Code::upstream, "no");
}

Async<> two_and_one_beside(std::string& log)
{
    Race race(co_await this_context());
    race.beside(note_after(log, 'b', 1));
    race.add(note_after(log, 'f', 2));
    race.add(note_after(log, 's', 3));
    co_await race.over();
}

Async<> with_failure(std::string& log)
{
    Race race(co_await this_context());
    race.beside(fail_after(2));
    race.add(note_after(log, 'l', 5));
    co_await race.over();
}

Async<> in_turn(AsyncMutex& mutex, std::string& log, char what)
{
    const auto lock = co_await mutex.lock();
    log += what;
    co_await sleep_for(Millis(1));
    log += what;
}

Async<> three_in_turn(std::string& log)
{
    AsyncMutex mutex;
    AsyncScope scope(co_await this_context());
    for (const char what : {'a', 'b', 'c'}) scope.spawn(in_turn(mutex, log, what));
    co_await finished(scope);
    co_await mutex.until_free();
    log += '.';
}

Async<int> seven()
{
    co_return 7;
}

Async<int> failing()
{
    co_await sleep_for(Millis(1));
    throw Error(Code::limit, "work");
}

}  // namespace

TEST_CASE("race: who comes first ends the others, and who runs beside does not")
{
    SimLoop loop;
    std::string log;
    run(loop, two_and_one_beside(log));
    CHECK(log == "bf");
}

TEST_CASE("race: a failure ends all of them and is thrown")
{
    SimLoop loop;
    std::string log;
    CHECK(error_of([&] { run(loop, with_failure(log)); }) == "upstream: no");
    CHECK(log.empty());
}

TEST_CASE("async mutex: one coroutine at a time has it")
{
    SimLoop loop;
    std::string log;
    run(loop, three_in_turn(log));
    CHECK(log == "aabbcc.");
}

TEST_CASE("finally: is done however the work ended, and the work's failure wins")
{
    SimLoop loop;
    std::string log;
    CHECK(run(loop, finally(seven(), note_after(log, 'd', 1))) == 7);
    CHECK(error_of([&] { run(loop, finally(failing(), note_after(log, 'd', 1))); }) == "limit: work");
    CHECK(error_of([&] { run(loop, finally(failing(), fail_after(1))); }) == "limit: work");
    CHECK(error_of([&] { run(loop, finally(seven(), fail_after(1))); }) == "upstream: no");
    CHECK(log == "dd");
}
