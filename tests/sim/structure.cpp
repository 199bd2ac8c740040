#include "sim/structure.hpp"

#include "base/error.hpp"
#include "engine/rendezvous.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/test_flow.hpp"

#include <fmt/core.h>

namespace cadre::sim {

using engine::Fate;
using engine::Run;
using engine::Settled;
using engine::testing::FlowPart;
using engine::testing::Policy;
using engine::testing::TestFlow;

namespace {

/// A branch, and which one.
struct Item {
    const Plan* plan;
    std::size_t index;
};

std::vector<Item> items_of(const PlanStep& step)
{
    std::vector<Item> items;
    for (std::size_t i = 0; i < step.inside.size(); ++i) items.push_back({&step.inside[i], i});
    return items;
}

struct Play {
    const Watch* watch;
    Async<std::string> operator()(Run& run, Item item) const { return play(run, *item.plan, *watch); }
};

std::string words_of(const std::vector<Settled<std::string>>& all)
{
    std::string words;
    for (const auto& one : all) {
        if (one.is_done()) words += *one.value;
        else if (one.error) words += "!" + std::string(one.error->what());
        words += "|";
    }
    return words;
}

/// Something that hangs on time: told to the world, and not part of the answer.
Async<> tell_world(Run& run, const PlanStep& step, std::string what)
{
    model::ToolCall call{.id = fmt::format("c{}", step.salt), .tool_name = "put"};
    call.args["n"] = step.salt;
    call.args["what"] = std::move(what);
    co_await run.use(run.agent(), {std::move(call)});
}

// ---- losers ----

/// Whether it is decided, and what was done behind that. One that was woken already may come to the end of what it waits for;
/// whoever begins something after it, and ends it too, was not cancelled.
struct Decision {
    std::size_t enough;
    std::size_t won = 0;
    const Watch* watch;

    void check(Run& run, int& behind) const
    {
        if (run.state().replaying() || won < enough) return;
        if (++behind >= 2) watch->broken("loser: a branch that lost goes on");
    }
};

/// Plays its plan and has won; the last one is slow and has lost.
struct Compete {
    Decision* decision;
    std::size_t last;

    Async<std::string> operator()(Run& run, Item item) const
    {
        constexpr int kNaps = 5;
        if (item.index != last) {
            std::string words = co_await play(run, *item.plan, *decision->watch);
            ++decision->won;
            co_return words;
        }
        int behind = 0;
        co_await run.sleep(Millis(120'000));
        for (int i = 0; i < kNaps; ++i) {
            decision->check(run, behind);
            co_await run.sleep(Millis(3'000));
        }
        decision->check(run, behind);
        co_return "late";
    }
};

Async<std::string> play_first(Run& run, const PlanStep& step, const Watch& watch)
{
    Decision decision{.enough = 1, .watch = &watch};
    const Compete compete{&decision, step.inside.size() - 1};
    const auto [who, what] = co_await run.first(items_of(step), compete);
    co_await tell_world(run, step, fmt::format("{} {}", who, what));
    co_return "first";
}

Async<std::string> play_quorum(Run& run, const PlanStep& step, const Watch& watch)
{
    Decision decision{.enough = step.width, .watch = &watch};
    const Compete compete{&decision, step.inside.size() - 1};
    const auto all = co_await run.quorum(step.width, items_of(step), compete);
    co_await tell_world(run, step, words_of(all));
    co_return "quorum";
}

Async<std::string> play_within(Run& run, const PlanStep& step, const Watch& watch)
{
    std::string said;
    try {
        const auto body = [&](Run& inner) { return play(inner, step.inside.front(), watch); };
        said = (co_await run.within(Millis(2'000 + step.salt % 20'000), body)).value_or("too late");
    } catch (const Error& error) {
        said = error.what();
    }
    co_await tell_world(run, step, said);
    co_return "within";
}

// ---- flows ----

/// The parts of a flow, as the step's salt has them. Failures are values, so that nothing but the policies hangs on time.
TestFlow flow_of(const PlanStep& step)
{
    Chance chance(step.salt, "flow");
    std::vector<FlowPart> parts;
    for (std::size_t i = 0; i < step.inside.size(); ++i) {
        FlowPart part{.name = fmt::format("p{}", i), .tolerated = true};
        for (std::size_t j = 0; j < i; ++j)
            if (chance.one_in(2)) part.inputs.push_back(j);
        if (part.inputs.size() > 1 && step.salt % 2 == 0) {
            part.policy = Policy::enough;
            part.enough = 1 + chance.below(part.inputs.size() - 1);
        }
        parts.push_back(std::move(part));
    }
    return TestFlow(std::move(parts));
}

Async<std::string> play_flow(Run& run, const PlanStep& step, const Watch& watch)
{
    const TestFlow flow = flow_of(step);
    const auto body = [&](Run& at, std::size_t part, const engine::Inputs<std::string>& inputs) -> Async<std::string> {
        std::string words = fmt::format("{}(", part);
        for (const std::size_t input : inputs.counted()) words += fmt::format("{} ", input);
        if (!inputs.counted().empty()) co_await tell_world(at, step, words);
        co_return words + co_await play(at, step.inside[part], watch) + ")";
    };
    const auto results = co_await run.flow<std::string>(flow, body);
    const std::string words = words_of(results);
    if (step.salt % 2 != 0) co_return words;
    co_await tell_world(run, step, words);
    co_return "flow";
}

// ---- seats and meetings ----

Async<std::string> play_seats(Run& run, const PlanStep& step, const Watch& watch)
{
    const auto body = [&](Run& branch, Item item) -> Async<std::string> {
        co_await branch.sleep(Millis((step.salt >> (3 * item.index)) % 4'000));  // whoever is first sits first
        branch.take_seat(branch.agent(), static_cast<int>(step.width));
        co_return co_await play(branch, *item.plan, watch);
    };
    co_return words_of(co_await run.collect(items_of(step), body));
}

Async<std::string> play_meeting(Run& run, const PlanStep& step, const Watch& watch)
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < step.inside.size(); ++i) names.push_back(fmt::format("m{}", i));
    engine::Rendezvous<std::string> meeting(run, names);
    const auto body = [&](Run& branch, Item item) -> Async<std::string> {
        const std::string name = fmt::format("m{}", item.index);
        const engine::Leaving leaving(meeting, name);
        std::string words;
        for (const std::string point : {"noon", "night"}) {
            const std::string said = co_await play(branch, *item.plan, watch);
            co_await meeting.arrive(name, point, said);
            for (const auto& [who, what] : meeting.others(point, name)) words += who + what;
        }
        co_return words;
    };
    co_return words_of(co_await run.collect(items_of(step), body));
}

}  // namespace

PlanStep some_structure(Chance& chance, int depth)
{
    constexpr Act kActs[] = {Act::first, Act::within, Act::collect, Act::quorum,
                             Act::flow,  Act::flow,   Act::seats,   Act::meet};
    PlanStep step{.act = kActs[chance.below(std::size(kActs))], .salt = chance.below(1'000'000)};
    std::uint64_t branches = 2 + chance.below(2);
    if (step.act == Act::within) branches = 1;
    if (step.act == Act::flow) branches = 3 + chance.below(3);
    for (std::uint64_t i = 0; i < branches; ++i) step.inside.push_back(some_steps(chance, depth + 1, 1));
    const bool may_fail = step.act != Act::first && step.act != Act::quorum;
    if (may_fail && chance.one_in(2))
        step.inside[chance.below(branches)].push_back({.act = Act::slip, .salt = chance.below(1'000'000)});
    if (step.act == Act::quorum) step.width = 1 + chance.below(branches - 1);
    if (step.act == Act::seats) step.width = 1 + chance.below(2);
    return step;
}

Async<std::string> play_structure(Run& run, const PlanStep& step, const Watch& watch)
{
    switch (step.act) {
    case Act::first: return play_first(run, step, watch);
    case Act::within: return play_within(run, step, watch);
    case Act::quorum: return play_quorum(run, step, watch);
    case Act::flow: return play_flow(run, step, watch);
    case Act::seats: return play_seats(run, step, watch);
    case Act::meet: return play_meeting(run, step, watch);
    default: break;
    }
    const auto collected = [](Run& at, const PlanStep& it, const Watch& by) -> Async<std::string> {
        co_return words_of(co_await at.collect(items_of(it), Play{&by}));
    };
    return collected(run, step, watch);
}

}  // namespace cadre::sim
