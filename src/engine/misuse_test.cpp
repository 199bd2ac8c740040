// Patterns that do what they must not: the message names the place.
#include "engine/test_cut.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using model::TaskStatus;

namespace {

/// Performs another effect of the same scope inside its own.
class Nested final : public Performer {
public:
    explicit Nested(Run& run) : run_(run) {}
    Async<Answered> attempt(Attempt) override
    {
        co_await run_.now();
        co_return Answered{};
    }

private:
    Run& run_;
};

Effect effect_at(Run& run)
{
    Effect effect{.ask = RequestDigest(EffectKind::route), .path = run.next_path(EffectKind::route)};
    effect.leaves = effect.records_intent = false;
    return effect;
}

std::string error_of_run(const std::function<Async<>(Run&)>& act)
{
    Stage world([&](Run& run) -> Async<model::Reply> {
        co_await run.node("review", [&](Run& node) -> Async<> { co_await act(node); });
        co_return run.reply("");
    });
    const TaskState state = world.finish(world.play());
    return state.error_code + ": " + state.error;
}

/// Pauses with that text when `second` continues what `first` has begun.
std::string divergence(const std::function<Async<>(Run&)>& first, const std::function<Async<>(Run&)>& second)
{
    const auto pattern = [](const std::function<Async<>(Run&)>& act) {
        return [&act](Run& run) -> Async<model::Reply> {
            co_await run.node("review", [&](Run& node) -> Async<> { co_await act(node); });
            co_return run.reply("");
        };
    };
    Stage world(pattern(first));
    const Id id = world.play();
    world.wait(sleep_for(1s));  // naps are over
    world.rest(id);
    const auto journal = world.records(id);
    Stage other(pattern(second));
    other.adopt(journal, journal.size());
    const TaskState state = other.rest(id);
    CHECK(state.pause_reason == model::PauseReason::diverged);
    CHECK(other.records(id).size() == journal.size() + 1);  // the pause, and nothing else
    return state.pause_text;
}

Async<> ask_and_pay(Run& run, int n)
{
    co_await pay_for(run, n);
    co_await run.ask({.context = {{"question", "Go?"}}});
}

}  // namespace

TEST_CASE("misuse: an effect inside an effect, and two at once in one scope, are named with both paths")
{
    const std::string nested = error_of_run([](Run& run) -> Async<> {
        Nested inside(run);
        co_await run.perform(effect_at(run), inside);
    });
    CHECK(nested.find("internal: review/now:1 begins while review/route:1 is running in the same scope") == 0);
    const std::string both = error_of_run([](Run& run) -> Async<> {
        std::vector<Async<>> two;
        two.push_back(run.sleep(10ms));
        two.push_back(run.sleep(10ms));
        co_await all(std::move(two));
    });
    CHECK(both.find("review/sleep:2 begins while review/sleep:1 is running in the same scope") != std::string::npos);
}

TEST_CASE("misuse: a journal that the code does not follow names path, record and field, and is left as it is")
{
    const auto once = [](Run& run) { return ask_and_pay(run, 1); };
    CHECK(divergence(once, [](Run& run) { return ask_and_pay(run, 2); }) ==
          "step review/use:1.0 asks for something else than it did (arguments differs from record 3)");
    const std::string dropped =
        divergence(once, [](Run& run) -> Async<> { co_await run.ask({.context = {{"question", "Go?"}}}); });
    CHECK(dropped == "the journal holds review/use:1.0 (record 3), which the code no longer asks for");
    const std::string other = divergence(
        [](Run& run) -> Async<> {
            co_await run.announce({.what = "vote"});
            co_await run.ask({.context = {{"question", "Go?"}}});
        },
        [](Run& run) -> Async<> { co_await pay_for(run, 1); });
    CHECK(other == "the journal holds review/announce:1 (record 3), which the code no longer asks for");
}

TEST_CASE("misuse: a branch that does what hangs on who was first is stopped after a restart, and named")
{
    const auto racing = [](Run& run) -> Async<> {
        int place = 0;
        co_await run.map(std::vector{1, 2}, [&place](Run& branch, int number) -> Async<int> {
            co_await pay_for(branch, number, number == 1 ? 200 : 10);
            co_await pay_for(branch, 100 + ++place);  // the records do not say who was first, nor need they
            co_return number;
        });
        co_await run.ask({.context = {{"question", "Go?"}}});
    };
    const std::string why = divergence(racing, racing);
    CHECK(why.find("step review/branch:1.0/use:2.0 asks for something else than it did (arguments differs") == 0);
}

TEST_CASE("misuse: nodes and branches that would share a path are refused by name")
{
    CHECK(error_of_run([](Run& run) -> Async<> {
              co_await run.node("think:1", [](Run&) -> Async<> { co_return; });
          }).find("think:1") != std::string::npos);
    const std::string keys = error_of_run([](Run& run) -> Async<> {
        MapOptions<int> options{.key = [](const int&) { return std::string("a"); }};
        co_await run.map(std::vector{1, 2}, options, [](Run&, int number) -> Async<int> { co_return number; });
    });
    CHECK(keys.find("two branches of review/branch:1. have the key \"a\"") != std::string::npos);
}
