#include "engine/flow.hpp"

#include "engine/test_cut.hpp"
#include "engine/test_flow.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using model::TaskStatus;
using storage::RecordKind;

namespace {

/// A part of a test's flow: what it depends on, and what it does. It pays its own number, and says so.
struct Deed {
    FlowPart part{};
    int nap = 0;         // ms, before it pays
    bool fails = false;  // once it has paid
    int steps = 1;       // payments
};

struct Show {
    std::vector<Deed> deeds{};

    TestFlow flow() const
    {
        std::vector<FlowPart> parts;
        for (const Deed& deed : deeds) parts.push_back(deed.part);
        return TestFlow(std::move(parts));
    }
};

Async<std::string> act(Run& run, const Show& show, std::size_t part, std::vector<std::size_t> counted)
{
    const Deed& deed = show.deeds[part];
    std::string said = deed.part.name + "(";
    for (const std::size_t input : counted) said += show.deeds[input].part.name;
    if (deed.nap > 0) co_await run.sleep(Millis(deed.nap));
    for (int i = 0; i < deed.steps; ++i) {
        model::ToolCall call{.id = "c" + std::to_string(i), .tool_name = "pay", .args = {{"n", 100 * part + i}}};
        co_await run.use(run.agent(), {std::move(call)});
    }
    if (deed.fails) throw Error(Code::upstream, deed.part.name + " broke");
    co_return said + ")";
}

std::string text_of_fate(const Settled<std::string>& settled)
{
    switch (settled.fate) {
    case Fate::open: return "open";
    case Fate::running: return "running";
    case Fate::done: return *settled.value;
    case Fate::skipped: return "skipped";
    case Fate::failed: return "!" + std::string(settled.error->what());
    case Fate::cancelled: return "cancelled";
    }
    return "";
}

std::function<Async<model::Reply>(Run&)> pattern_of(const Show& show)
{
    return [show](Run& run) -> Async<model::Reply> {
        const TestFlow flow = show.flow();
        const auto body = [&show](Run& at, std::size_t part, const Inputs<std::string>& inputs) {
            return act(at, show, part, inputs.counted());
        };
        std::string text;
        for (const auto& settled : co_await run.flow<std::string>(flow, body)) text += text_of_fate(settled) + " ";
        co_return run.reply(text);
    };
}

std::string played(const Show& show)
{
    Stage world(pattern_of(show));
    return ending(world.finish(world.play()));
}

Show some_show(std::uint64_t seed)
{
    SeededRandom random(seed);
    const auto below = [&](std::uint64_t n) { return random.below(n); };
    Show show;
    const std::size_t size = 3 + below(5);
    for (std::size_t i = 0; i < size; ++i) {
        Deed deed{.part = {.name = std::string(1, static_cast<char>('a' + i))}};
        for (std::size_t j = 0; j < i; ++j)
            if (below(3) == 0) deed.part.inputs.push_back(j);
        if (deed.part.inputs.size() > 1 && below(2) == 0) {
            deed.part.policy = Policy::enough;
            deed.part.enough = 1 + below(deed.part.inputs.size());
        }
        deed.nap = static_cast<int>(below(4)) * 15;
        deed.steps = static_cast<int>(below(3));
        deed.fails = below(6) == 0;
        deed.part.tolerated = below(4) > 0;
        show.deeds.push_back(std::move(deed));
    }
    return show;
}

}  // namespace

TEST_CASE("flow: joins do what their policies say")
{
    const auto deed = [](const char* name, std::vector<std::size_t> inputs, int nap, bool fails = false) {
        return Deed{.part = {.name = name, .inputs = std::move(inputs), .tolerated = true}, .nap = nap, .fails = fails};
    };
    const auto strict = [](Deed it) {
        it.part.tolerated = false;
        return it;
    };
    const auto tolerant = [](Deed it) {
        it.part.tolerated = true;
        return it;
    };
    const auto join = [&](const char* name, std::vector<std::size_t> inputs, std::size_t enough) {
        Deed it = deed(name, std::move(inputs), 0);
        it.part.policy = Policy::enough;
        it.part.enough = enough;
        return strict(it);
    };
    struct {
        const char* name;
        Show show;
        const char* says;
    } const cases[] = {
        {"a chain", {{deed("a", {}, 0), deed("b", {0}, 0), deed("c", {1}, 0)}}, "a() b(a) c(b) "},
        {"a diamond",
         {{deed("a", {}, 0), deed("b", {0}, 50), deed("c", {0}, 0), deed("d", {1, 2}, 0)}},
         "a() b(a) c(a) d(bc) "},
        {"a dead arm: the join runs with the other one",
         {{deed("a", {}, 0), deed("b", {}, 0, true), deed("c", {1}, 0), deed("d", {0, 2}, 0)}},
         "a() !b broke skipped d(a) "},
        {"all arms dead: skipped to the end",
         {{deed("a", {}, 0, true), deed("b", {0}, 0), deed("c", {1}, 0)}},
         "!a broke skipped skipped "},
        {"a failure that nobody tolerates ends the flow",
         {{deed("a", {}, 500), strict(deed("b", {}, 0, true)), deed("c", {0}, 0)}},
         "failed: b broke"},
        {"of two failures the lower one is told",
         {{strict(deed("a", {}, 0, true)), strict(deed("b", {}, 0, true))}},
         "failed: a broke"},
        {"first: the slower one is cancelled",
         {{deed("a", {}, 500), deed("b", {}, 10), join("c", {0, 1}, 1)}},
         "skipped b() c(b) "},
        {"first: a chain that leads nowhere else is cancelled, begun or not",
         {{deed("a", {}, 500), deed("b", {0}, 0), deed("c", {}, 0), join("d", {1, 2}, 1)}},
         "skipped skipped c() d(c) "},
        {"first: whoever is needed elsewhere continues",
         {{deed("a", {}, 500), deed("b", {}, 0), join("c", {0, 1}, 1), deed("d", {0, 1}, 0)}},
         "a() b() c(b) d(ab) "},
        {"quorum: two of three",
         {{deed("a", {}, 30), deed("b", {}, 600), deed("c", {}, 0), join("d", {0, 1, 2}, 2)}},
         "a() skipped c() d(ac) "},
        {"quorum: a failure leaves enough, and nobody needs the one that failed",
         {{deed("a", {}, 0, true), deed("b", {}, 30), deed("c", {}, 0), join("d", {0, 1, 2}, 2)}},
         "skipped b() c() d(bc) "},
        {"quorum: a failure is told to those who need it elsewhere",
         {{deed("a", {}, 0, true), deed("b", {}, 0), join("c", {0, 1}, 1), deed("d", {0, 1}, 0)}},
         "!a broke b() c(b) d(b) "},
        {"quorum: one that cannot be reached any more, and that nobody waits for, is as skipped as if it had been "
         "slower",
         {{deed("a", {}, 0, true), deed("b", {}, 40), tolerant(join("c", {0, 1}, 2)), deed("d", {}, 60),
           join("e", {2, 3}, 1)}},
         "skipped b() skipped d() e(d) "},
        {"quorum: not enough are left",
         {{deed("a", {}, 0, true), deed("b", {}, 500), deed("c", {}, 0, true), join("d", {0, 1, 2}, 2)}},
         "failed: quorum 2 of 3 not reached at 'd'"},
    };
    for (const auto& c : cases) {
        CAPTURE(std::string(c.name));
        CHECK(played(c.show) == c.says);
        Stage world(pattern_of(c.show));
        const Id id = world.play();
        world.finish(id);
        const auto journal = world.records(id);
        for (std::size_t length = 2; length < journal.size(); ++length) {
            CAPTURE(length);
            // who is asked about a call that the crash cut off is slower than the others: then another one fails first
            const bool by_time =
                std::ranges::any_of(c.show.deeds, [](const Deed& one) { return one.part.policy == Policy::enough; }) ||
                std::ranges::count_if(c.show.deeds, [](const Deed& one) { return one.fails && !one.part.tolerated; }) >
                    1;
            CHECK(problem_after(pattern_of(c.show), journal, length, !by_time) == "");
        }
    }
}

TEST_CASE("flow: a part begins when its own inputs have settled, whoever else is still at work")
{
    Show show{{{.part = {.name = "quick"}},
               {.part = {.name = "slow"}, .nap = 5'000},
               {.part = {.name = "next", .inputs = {0}}},
               {.part = {.name = "last", .inputs = {1}}}}};
    Stage world(pattern_of(show));
    const Id id = world.play();
    CHECK(ending(world.finish(id)) == "quick() slow() next(quick) last(slow) ");
    std::vector<std::string> done;
    for (const auto& record : world.records(id))
        if (record.kind == RecordKind::node_done) done.push_back(record.path);
    CHECK(done == std::vector<std::string>{"quick", "next", "slow", "last"});
}

TEST_CASE("flow: run twice in one scope, its parts and joins have other paths")
{
    Show show{{{.part = {.name = "a"}}, {.part = {.name = "b", .inputs = {0}, .policy = Policy::enough}}}};
    const auto once = pattern_of(show);
    Stage world([once](Run& run) -> Async<model::Reply> {
        co_await once(run);
        co_return co_await once(run);
    });
    const Id id = world.play();
    CHECK(ending(world.finish(id)) == "a() b(a) ");
    const auto journal = world.records(id);
    CHECK(outcome_at(journal, "join:b") == R"({"effect":"join","winners":[0]})");
    CHECK(outcome_at(journal, "join:b:2") == R"({"effect":"join","winners":[0]})");
    CHECK(std::ranges::count(journal, "b/2", &storage::Record::path) == 1);
}

TEST_CASE("flow: what cannot be is refused, and named")
{
    struct {
        std::vector<FlowPart> parts;
        const char* says;
    } const cases[] = {
        {{{.name = "a"}, {.name = "a"}}, R"(two parts of a flow are called "a")"},
        {{{.name = "a", .inputs = {7}}}, R"(part "a" depends on a part that is not there)"},
        {{{.name = "a"}, {.name = "b", .inputs = {2}}, {.name = "c", .inputs = {1}}},
         R"(part "b" of a flow depends on itself, or on parts that do)"},
        {{{.name = "think:1"}}, R"(a node cannot be called "think:1")"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.says);
        Stage world([&c](Run& run) -> Async<model::Reply> {
            const TestFlow flow(c.parts);
            co_await run.flow<std::string>(
                flow, [](Run&, std::size_t, const Inputs<std::string>&) -> Async<std::string> { co_return ""; });
            co_return run.reply("");
        });
        CHECK(ending(world.finish(world.play())).find(c.says) != std::string::npos);
    }
}

TEST_CASE("flow: a part that hears of its inputs hears it again after a crash, from the record of their nodes")
{
    const auto pattern = [](Run& run) -> Async<model::Reply> {
        const TestFlow flow({{.name = "a"}, {.name = "b", .inputs = {0}}});
        const auto body = [](Run& at, std::size_t part, const Inputs<std::string>& inputs) -> Async<std::string> {
            if (part == 0) co_return to_string(co_await at.fresh_id());
            co_await at.ask({.context = {{"question", "ok?"}}});
            co_return "after " + *inputs.result(0).value;
        };
        const auto results = co_await run.flow<std::string>(flow, body);
        co_return run.reply(*results[0].value + " " + *results[1].value);
    };
    Stage world(pattern);
    const Id id = world.play();
    CHECK(world.rest(id).status == TaskStatus::waiting);
    world.restart();
    const std::string text = ending(world.finish(id));
    CHECK(text.substr(37) == "after " + text.substr(0, 36));
}

TEST_CASE("flow: random ones that died after any record end as they would have, and pay nothing twice")
{
    std::size_t cuts = 0, by_time = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        const Show show = some_show(seed);
        Stage world(pattern_of(show));
        const Id id = world.play();
        REQUIRE(world.finish(id).finished());
        const auto journal = world.records(id);
        const bool hangs_on_time =
            std::ranges::any_of(show.deeds, [](const Deed& one) { return one.part.policy == Policy::enough; });
        by_time += hangs_on_time;
        // who fails first depends on time too
        const bool is_fixed = !hangs_on_time && std::ranges::none_of(show.deeds, [](const Deed& one) {
            return one.fails && !one.part.tolerated;
        });
        for (std::size_t length = 2; length < journal.size(); ++length, ++cuts) {
            CAPTURE(length);
            REQUIRE(problem_after(pattern_of(show), journal, length, is_fixed) == "");
        }
    }
    CHECK(cuts > 500);
    CHECK(by_time > 10);
}
