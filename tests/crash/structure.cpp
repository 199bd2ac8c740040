// All that a run can be made of, once each. What is answered does not hang on who was first; what is told to tools does, so that a run
// that decides otherwise after a crash diverges.
#include "base/async.hpp"
#include "base/error.hpp"
#include "crash/storm.hpp"
#include "engine/rendezvous.hpp"
#include "engine/run.hpp"
#include "engine/test_flow.hpp"

#include <boost/json.hpp>

#include <numeric>

using namespace std::chrono_literals;

namespace cadre::storm {

using engine::Run;
using engine::testing::Policy;
using engine::testing::TestFlow;

namespace {

constexpr Counted kTools[] = {
    {"part_0", model::Effect::once},    {"part_1", model::Effect::once},    {"part_2", model::Effect::once},
    {"voted", model::Effect::once},     {"bid_0", model::Effect::once},     {"bid_1", model::Effect::once},
    {"bid_2", model::Effect::once},     {"bid_3", model::Effect::once},     {"chosen", model::Effect::once},
    {"collected", model::Effect::once}, {"seated", model::Effect::once},    {"met", model::Effect::once},
    {"tried", model::Effect::once},     {"doomed", model::Effect::once},    {"sibling", model::Effect::once},
    {"errand", model::Effect::once},    {"published", model::Effect::once}, {"again", model::Effect::idempotent},
};

Async<std::string> ask_model(Run& run, std::string text)
{
    run.tell(std::move(text));
    co_return (co_await run.think(run.agent())).text;
}

/// Two of three are enough for a vote; beside it, somebody asks what nobody answers.
Async<std::string> vote(Run& run)
{
    const TestFlow flow({{.name = "part_0"},
                         {.name = "part_1"},
                         {.name = "part_2"},
                         {.name = "wonder"},
                         {.name = "vote", .inputs = {0, 1, 2}, .policy = Policy::enough, .enough = 2},
                         {.name = "end", .inputs = {3, 4}, .policy = Policy::enough, .enough = 1}});
    const auto body = [](Run& part, std::size_t number,
                         const engine::Inputs<std::string>& inputs) -> Async<std::string> {
        if (number < 3) co_await count(part, "part_" + std::to_string(number));
        if (number == 3) co_await part.ask({.type = model::HumanRequestType::feedback, .context = {{"nobody", true}}});
        if (number == 4) {
            boost::json::array counted(inputs.counted().begin(), inputs.counted().end());
            co_await count(part, "voted", {{"counted", std::move(counted)}});
        }
        co_return "voted";
    };
    co_return *(co_await run.flow<std::string>(flow, body)).back().value;
}

Async<std::string> bid(Run& run)
{
    const auto body = [](Run& branch, int number) -> Async<std::string> {
        co_await branch.sleep(Millis(number));
        co_await count(branch, "bid_" + std::to_string(number));
        co_return std::to_string(number);
    };
    boost::json::array winners;
    for (const auto& one : co_await run.quorum(2, std::vector<int>{0, 1, 2, 3}, body))
        if (one.is_done()) winners.push_back(boost::json::string(*one.value));
    co_await count(run, "chosen", {{"winners", std::move(winners)}});
    co_return "chosen";
}

Async<std::string> gather(Run& run)
{
    const auto body = [](Run& branch, int number) -> Async<std::string> {
        co_await count(branch, "collected");
        if (number == 1) throw Error(Code::upstream, "slipped");
        co_return std::to_string(number);
    };
    std::string all;
    for (const auto& one : co_await run.collect(std::vector<int>{0, 1, 2}, body))
        all += one.is_done() ? *one.value : std::string(one.error->what());
    co_return all;
}

Async<std::string> sit(Run& run)
{
    const auto body = [](Run& branch, int number) -> Async<int> {
        co_await branch.sleep(Millis(3 - number));
        branch.take_seat(branch.agent(), 1);
        co_await count(branch, "again");
        co_await count(branch, "seated");
        co_return number;
    };
    std::string all;
    for (const int number : co_await run.map(std::vector<int>{0, 1, 2, 3}, body)) all += std::to_string(number);
    co_return all;
}

Async<std::string> meet(Run& run)
{
    engine::Rendezvous<std::string> meeting(run, {"ann", "bob"});
    const auto body = [&meeting](Run& branch, std::string name) -> Async<std::string> {
        const engine::Leaving leaving(meeting, name);
        co_await count(branch, "met");
        co_await meeting.arrive(name, "noon", name + " was there");
        co_return meeting.others("noon", name).front().second;
    };
    std::string all;
    for (const std::string& one : co_await run.map(std::vector<std::string>{"ann", "bob"}, body)) all += one + ";";
    co_return all;
}

Async<std::string> race(Run& run)
{
    const auto body = [](Run& branch, int number) -> Async<std::string> {
        if (number == 0) co_return co_await ask_model(branch, "race of " + branch.prompt());
        co_await branch.sleep(1h);
        co_return "late";
    };
    const auto won = co_await run.first(std::vector<int>{0, 1}, body);
    const auto tried = co_await run.within(1h, [](Run& inner) -> Async<std::string> {
        co_await count(inner, "tried");
        co_return "in time";
    });
    co_return won.second + ", " + tried.value_or("late");
}

/// One fails while the other is at work.
Async<std::string> break_off(Run& run)
{
    const auto body = [](Run& branch, int number) -> Async<int> {
        co_await count(branch, number == 0 ? "doomed" : "sibling");
        if (number == 0) throw Error(Code::upstream, "broke off");
        co_await branch.sleep(1h);
        co_return number;
    };
    std::string failure;
    try {
        co_await run.map(std::vector<int>{0, 1}, body);
    } catch (const Error& error) {
        failure = error.what();
    }
    co_return failure;
}

/// Four tasks below, which spend this one's budget.
Async<std::string> send_out(Run& run)
{
    const engine::Heard heard = co_await run.heed();
    co_await run.announce({.what = "plan", .key = "1", .fact = {{"changed", heard.plan.has_value()}}});
    const auto body = [](Run& branch, int number) -> Async<std::string> {
        const std::string message = "errand " + std::to_string(number) + " of " + branch.prompt();
        co_return (co_await branch.delegate(branch.agent(), message, {.pattern = "errand@1"})).text;
    };
    std::string all;
    for (const auto& one : co_await run.collect(std::vector<int>{0, 1, 2, 3}, body)) all += one.value.value() + ";";
    co_return all;
}

Async<model::Reply> errand(Run& run)
{
    const std::string words = co_await ask_model(run, run.prompt());
    co_await count(run, "errand");
    co_return run.reply(co_await ask_model(run, words));
}

Async<model::Reply> structure(Run& run)
{
    std::string all = co_await run.node("vote", vote);
    for (const auto part : {bid, gather, sit, meet, race, break_off, send_out}) all += ", " + co_await part(run);
    const auto answer = co_await run.ask({.agent = "worker", .context = {{"question", "publish?"}}});
    if (answer.verb != model::HumanVerb::approve) throw Error(Code::cancelled, "rejected");
    co_await count(run, "published");
    co_return run.reply(co_await ask_model(run, all));
}

/// Sixty-four tasks below, half of them at once.
Async<model::Reply> family(Run& run)
{
    std::vector<int> numbers(64);
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto body = [](Run& branch, int number) -> Async<int> {
        const std::string message = "errand " + std::to_string(number) + " of " + branch.prompt();
        co_await branch.delegate(branch.agent(), message, {.pattern = "errand@1"});
        co_return 1;
    };
    int done = 0;
    for (const int one : co_await run.map(std::move(numbers), body)) done += one;
    co_return run.reply(std::to_string(done) + " did it for " + run.prompt());
}

}  // namespace

void add_structure(engine::Patterns& patterns)
{
    patterns.add({"structure@1", structure});
    patterns.add({"errand@1", errand});
    patterns.add({"family@1", family});
}

std::span<const Counted> tools_of_structure()
{
    return kTools;
}

}  // namespace cadre::storm
