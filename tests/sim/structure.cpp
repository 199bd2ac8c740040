#include "sim/structure.hpp"

#include "base/error.hpp"
#include "engine/rendezvous.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/test_flow.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

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

/// Plays its plan and has won; the last one is slow, or asks what nobody answers, and has lost.
struct Compete {
    Decision* decision;
    std::size_t last;
    bool asks;

    Async<std::string> operator()(Run& run, Item item) const
    {
        constexpr int kNaps = 5;
        if (item.index != last) {
            std::string words = co_await play(run, *item.plan, *decision->watch);
            ++decision->won;
            co_return words;
        }
        if (asks) co_return co_await play(run, {{.act = Act::wonder}}, *decision->watch);
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

/// What a branch asked that has lost is withdrawn.
void expect_withdrawn(Run& run, const Watch& watch)
{
    if (run.state().replaying()) return;
    for (const engine::OpenQuestion& question : run.state().view().questions)
        if (question.path.starts_with(run.scope()) && question.request.context.contains(kNobody))
            watch.broken("loser: its question " + question.path + " stays open");
}

Async<std::string> play_first(Run& run, const PlanStep& step, const Watch& watch)
{
    Decision decision{.enough = 1, .watch = &watch};
    const Compete compete{&decision, step.inside.size() - 1, step.salt % 2 == 0};
    const auto [who, what] = co_await run.first(items_of(step), compete);
    expect_withdrawn(run, watch);
    co_await tell_world(run, step, fmt::format("{} {}", who, what));
    co_return "first";
}

Async<std::string> play_quorum(Run& run, const PlanStep& step, const Watch& watch)
{
    Decision decision{.enough = step.width, .watch = &watch};
    const Compete compete{&decision, step.inside.size() - 1, step.salt % 2 == 0};
    const auto all = co_await run.quorum(step.width, items_of(step), compete);
    expect_withdrawn(run, watch);
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

/// By what a flow's salt decides it: who is counted at joins hangs on time; the first failure ends it; failures are values.
enum class FlowKind { by_time, fails_fast, collects };

FlowKind kind_of(const PlanStep& step)
{
    if (step.salt % 2 == 0) return FlowKind::by_time;
    return step.salt % 3 == 0 ? FlowKind::fails_fast : FlowKind::collects;
}

bool asks_nobody(const Plan& plan)
{
    return plan.front().act == Act::wonder;
}

/// The parts of a flow, as the step's salt has them. One that asks what nobody answers is needed by nobody but a join that has enough
/// without it.
TestFlow flow_of(const PlanStep& step)
{
    Chance chance(step.salt, "flow");
    std::vector<FlowPart> parts;
    const std::size_t first = asks_nobody(step.inside.front()) ? 1 : 0;
    for (std::size_t i = 0; i < step.inside.size(); ++i) {
        FlowPart part{.name = fmt::format("p{}", i), .tolerated = kind_of(step) != FlowKind::fails_fast};
        for (std::size_t j = first; j < i; ++j)
            if (chance.one_in(2)) part.inputs.push_back(j);
        if (part.inputs.size() > 1 && kind_of(step) == FlowKind::by_time) {
            part.policy = Policy::enough;
            part.enough = 1 + chance.below(part.inputs.size() - 1);
        }
        parts.push_back(std::move(part));
    }
    if (first == 1) {
        FlowPart& join = parts.back();
        if (join.inputs.empty()) join.inputs.push_back(parts.size() - 2);
        join.policy = Policy::enough;
        join.enough = 1 + chance.below(join.inputs.size());
        join.inputs.insert(join.inputs.begin(), 0);
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
    std::string words;
    try {
        words = words_of(co_await run.flow<std::string>(flow, body));
    } catch (const Error& error) {
        if (kind_of(step) != FlowKind::fails_fast) throw;
        words = error.what();  // of several that fail, the first
    }
    expect_withdrawn(run, watch);
    if (kind_of(step) == FlowKind::collects) co_return words;
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

// ---- others, and people ----

/// Another task does it, which spends this one's budget; sometimes it has less of its own.
Async<std::string> play_delegate(Run& run, const PlanStep& step)
{
    engine::DelegateOptions options;
    if (step.salt % 4 == 0) options.budget.tokens = 80 + static_cast<std::int64_t>(step.salt % 150);
    const std::string errand = errand_prompt(step.salt);
    const engine::DelegateReply child = co_await run.try_delegate(run.agent(), errand, std::move(options));
    co_return child.reply ? "<" + child.reply->text + ">" : "!" + std::string(child.failure->what());
}

/// Looks several times what people have changed; what it heard decides what it does.
Async<std::string> play_heed(Run& run, const PlanStep& step)
{
    constexpr int kTimes = 3;
    for (int i = 0; i < kTimes; ++i) {
        const engine::Heard heard = co_await run.heed();
        std::string words = fmt::format("{} {} {}", i, heard.next_agent, heard.is_team_changed);
        if (heard.plan) words += " " + boost::json::serialize(*heard.plan);
        co_await run.announce({.what = "plan",
                               .agent = run.agent().name,
                               .key = fmt::format("{} {}", step.salt, i),
                               .fact = {{"heard", words}}});
        co_await tell_world(run, step, words);
        co_await run.sleep(Millis(1'000 + step.salt % 6'000));
    }
    co_return "heed";
}

}  // namespace

Async<> tell_world(Run& run, const PlanStep& step, std::string what)
{
    model::ToolCall call{.id = fmt::format("c{}", step.salt), .tool_name = "put"};
    call.args["n"] = step.salt;
    call.args["what"] = std::move(what);
    co_await run.use(run.agent(), {std::move(call)});
}

PlanStep some_structure(Chance& chance, int depth)
{
    constexpr Act kActs[] = {Act::first,  Act::within, Act::collect, Act::quorum,   Act::flow,     Act::flow,
                             Act::quorum, Act::seats,  Act::meet,    Act::delegate, Act::delegate, Act::heed};
    PlanStep step{.act = kActs[chance.below(std::size(kActs))], .salt = chance.below(1'000'000)};
    if (step.act == Act::delegate || step.act == Act::heed) return step;
    std::uint64_t branches = 2 + chance.below(2);
    if (step.act == Act::within) branches = 1;
    if (step.act == Act::flow) branches = 3 + chance.below(3);
    if (step.act == Act::first || step.act == Act::quorum) branches = 3 + chance.below(2);
    for (std::uint64_t i = 0; i < branches; ++i) step.inside.push_back(some_steps(chance, depth + 1, 1));
    const std::uint64_t kind = chance.below(4);
    const bool is_race = step.act == Act::first || step.act == Act::quorum;
    if (is_race && kind == 0)  // all come at the same moment, and yet one is first
        for (Plan& inside : step.inside) inside = {{.act = Act::nap, .salt = step.salt}};
    if (is_race && (kind == 1 || kind == 2))  // calls, some of which answer although they have lost
        for (Plan& inside : step.inside)
            inside = {{.act = Act::use, .salt = 7 * chance.below(100'000) + chance.below(3)}};
    if (step.act == Act::flow && chance.one_in(2))  // the last come first
        for (std::uint64_t i = 0; i < branches; ++i)
            step.inside[i] = {{.act = Act::nap, .salt = 1'500 * (branches - i)}};
    if (step.act == Act::flow && kind_of(step) == FlowKind::by_time && chance.one_in(2))
        step.inside.front() = {{.act = Act::wonder}};
    const bool may_fail = step.act != Act::first && step.act != Act::quorum;
    if (may_fail && chance.one_in(2)) {
        std::uint64_t doomed = chance.below(branches);
        if (asks_nobody(step.inside[doomed])) doomed = branches - 1;
        step.inside[doomed].push_back({.act = Act::slip, .salt = chance.below(1'000'000)});
    }
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
    case Act::delegate: return play_delegate(run, step);
    case Act::heed: return play_heed(run, step);
    default: break;
    }
    const auto collected = [](Run& at, const PlanStep& it, const Watch& by) -> Async<std::string> {
        co_return words_of(co_await at.collect(items_of(it), Play{&by}));
    };
    return collected(run, step, watch);
}

}  // namespace cadre::sim
