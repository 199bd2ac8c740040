#include "engine/strand.hpp"

#include "engine/test_cut.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using model::TaskStatus;
using storage::RecordKind;

TEST_CASE("collect: a failure is a value, and ends nobody")
{
    check_cuts(
        [](Run& run) -> Async<model::Reply> {
            const auto body = [](Run& branch, int n) -> Async<std::string> {
                const std::string said = co_await pay_for(branch, n, n);
                if (n == 20) throw Error(Code::upstream, "broken");
                co_return said;
            };
            co_return run.reply(words_of(co_await run.collect(std::vector<int>{30, 20, 10}, body)));
        },
        "paid 30, !broken, paid 10, ", true);
}

TEST_CASE("structure case 3: quorum 2 of 5, killed anywhere: two win, the same two in every later replay, and nobody "
          "is paid twice")
{
    const auto pattern = [](Run& run) -> Async<model::Reply> {
        const auto body = [](Run& branch, int n) { return pay_for(branch, n, n, 2); };
        const auto all = co_await run.quorum(2, std::vector<int>{500, 30, 400, 10, 300}, body);
        const std::string words = words_of(all);
        co_await run.ask({.context = {{"who", words}}});  // what follows depends on who has won
        co_return run.reply(words);
    };
    check_cuts(pattern, "-, paid 30, -, paid 10, -, ", false);

    // dead before the join, then again and again behind it
    Stage world(pattern);
    const Id id = world.play();
    world.finish(id);
    const auto journal = world.records(id);
    const auto join = std::ranges::find(journal, "join:1", &storage::Record::path) - journal.begin();
    Stage second(pattern);
    second.adopt(journal, static_cast<std::size_t>(join));
    CHECK(second.rest(id).status == TaskStatus::waiting);
    const std::string winners = outcome_at(second.records(id), "join:1");
    CHECK(winners.find("winners") != std::string::npos);
    for (int i = 0; i < 3; ++i) {
        second.restart();
        second.wait(second.host->wake(id));
        CHECK(second.rest(id).status == TaskStatus::waiting);
        CHECK(outcome_at(second.records(id), "join:1") == winners);
    }
    CHECK(second.finish(id).status == TaskStatus::completed);
}

TEST_CASE("quorum: when so many cannot succeed any more, all reasons are told and the rest is cancelled")
{
    const auto pattern = [](Run& run) -> Async<model::Reply> {
        const auto body = [](Run& branch, int n) -> Async<std::string> {
            const std::string said = co_await pay_for(branch, n, n);
            if (n < 100) throw Error(Code::upstream, "no " + std::to_string(n));
            co_return said;
        };
        co_await run.quorum(2, std::vector<int>{10, 900, 20},
                            {.key = [](const int& n) { return "k" + std::to_string(n); }}, body);
        co_return run.reply("never");
    };
    check_cuts(pattern, "failed: quorum 2 of 3 not reached at branch:1: k10: no 10; k20: no 20", true);
    for (const std::size_t enough : {0, 4}) {
        Stage world([enough](Run& run) -> Async<model::Reply> {
            co_await run.quorum(enough, std::vector<int>{1, 2, 3},
                                [](Run& branch, int n) { return pay_for(branch, n); });
            co_return run.reply("never");
        });
        CHECK(ending(world.finish(world.play())) ==
              "failed: join:1: a quorum of " + std::to_string(enough) + " of 3 cannot be");
    }
}

TEST_CASE(
    "structure case 4: a branch fails after its sibling has run three further parts: a replay agrees, wherever it died")
{
    check_cuts(
        [](Run& run) -> Async<model::Reply> {
            const auto body = [](Run& branch, int n) -> Async<std::string> {
                if (n == 1) {
                    co_await pay_for(branch, 1, 200);
                    throw Error(Code::upstream, "late");
                }
                for (const char* part : {"one", "two", "three", "four"})
                    co_await branch.node(part,
                                         [part](Run& node) { return pay_for(node, 2, part[0] == 'f' ? 5'000 : 10); });
                co_return "never";
            };
            std::string failure;
            try {
                co_await run.map(std::vector<int>{1, 2}, body);
            } catch (const Error& error) {
                failure = error.what();
            }
            co_return run.reply(failure + ", " + co_await pay_for(run, 3));
        },
        "late, paid 3", true);
}

TEST_CASE("a failure inside a branch is replayed before one that ends the branch, whatever their paths")
{
    check_cuts(
        [](Run& run) -> Async<model::Reply> {
            const auto inner = [](Run& branch, int n) -> Async<std::string> {
                co_await pay_for(branch, n, n == 1 ? 0 : 5'000);
                throw Error(Code::upstream, "inner");
            };
            const auto outer = [&inner](Run& branch, int n) -> Async<std::string> {
                if (n == 0) {
                    co_await pay_for(branch, 7, 300);
                    throw Error(Code::upstream, "outer");
                }
                try {
                    co_await branch.map(std::vector<int>{1, 2}, inner);
                } catch (const Error&) {}
                co_return co_await pay_for(branch, 8, 10, 20);  // records behind the inner failure
            };
            std::string failure;
            try {
                co_await run.map(std::vector<int>{0, 1}, outer);
            } catch (const Error& error) {
                failure = error.what();
            }
            co_return run.reply(failure);
        },
        "outer", true);
}

TEST_CASE("map: branches with keys keep their paths, two of one key are refused, and so are keys that are not plain")
{
    const auto with_keys = [](std::vector<std::string> items) {
        return [items](Run& run) -> Async<model::Reply> {
            const auto body = [](Run& branch, std::string item) -> Async<std::string> {
                co_await branch.now();
                co_return item;
            };
            std::string all;
            for (const std::string& one :
                 co_await run.map(items, {.key = [](const std::string& it) { return it; }}, body))
                all += one;
            co_return run.reply(all);
        };
    };
    Stage world(with_keys({"ann@x", "bob"}));
    const Id id = world.play();
    CHECK(ending(world.finish(id)) == "ann@xbob");
    CHECK(outcome_at(world.records(id), "branch:1.ann@x/now:1") != "");
    for (const auto& [items, says] :
         {std::pair(std::vector<std::string>{"a", "a"}, R"(two branches of branch:1. have the key "a")"),
          {{"a/b"}, R"(cannot have the key "a/b")"},
          {{""}, R"(cannot have the key "")"}}) {
        CAPTURE(says);
        Stage bad(with_keys(items));
        CHECK(ending(bad.finish(bad.play())).find(says) != std::string::npos);
    }
}

TEST_CASE("an agent's model calls keep their numbers in a replay, whoever comes first")
{
    World world;
    world.team = team_of({});
    world.patterns.add({"turns@1", [](Run& run) -> Async<model::Reply> {
                            const auto body = [](Run& branch, int wait) -> Async<std::string> {
                                co_await branch.sleep(Millis(wait));
                                branch.tell(std::to_string(wait));
                                co_await branch.think(branch.agent());
                                co_await branch.ask({.context = {{"question", "ok?"}}});
                                branch.tell("again");
                                co_return (co_await branch.think(branch.agent())).text;
                            };
                            std::string all;
                            for (const std::string& one : co_await run.map(std::vector<int>{30, 20, 10}, body))
                                all += one + " ";
                            co_return run.reply(all);
                        }});
    world.model->answer = [](const llm::Request& request) { return says(std::to_string(request.nth)); };
    const Id id = world.begin("turns@1", {.agent = "worker"});
    CHECK(world.rest(id).status == TaskStatus::waiting);
    world.restart();
    for (int i = 0; i < 3; ++i) {
        const auto questions = world.rest(id).questions;
        world.wait(world.commands->answer(kAnn, id, questions.front().request.id, {}));
    }
    world.rest(id);
    std::vector<std::pair<std::string, int>> turns;
    for (const auto& record : world.records(id))
        if (record.kind == RecordKind::intent && effect_of(record) == EffectKind::think) {
            const auto intent = body_of<IntentBody>(record);
            turns.emplace_back(record.path, static_cast<int>(own_of<ThinkIntent>(intent, record).nth));
        }
    std::ranges::sort(turns);
    REQUIRE(turns.size() == 6);
    CHECK(turns[0] == std::pair<std::string, int>("branch:1.0/think:1", 3));
    CHECK(turns[4] == std::pair<std::string, int>("branch:1.2/think:1", 1));
    std::vector<int> numbers;
    for (const auto& [path, nth] : turns) numbers.push_back(nth);
    std::ranges::sort(numbers);
    CHECK(numbers == std::vector<int>{1, 2, 3, 4, 5, 6});
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("a run that diverges has not changed its journal on the way there")
{
    bool changed = false;
    Stage world([&changed](Run& run) -> Async<model::Reply> {
        const auto body = [&changed](Run& branch, int n) -> Async<std::string> {
            // the new code ends a node that was not ended, before it is seen that other records are not used
            if (n == 0)
                co_return co_await branch.node("short", [&changed](Run& node) -> Async<std::string> {
                    co_await node.now();
                    if (!changed) co_await node.ask({.context = {{"question", "first?"}}});
                    co_return "short";
                });
            co_await branch.ask({.context = {{"question", "second?"}}});
            co_return "long";
        };
        co_await run.map(std::vector<int>{0, 1}, body);
        co_return run.reply("done");
    });
    const Id id = world.play();
    CHECK(world.rest(id).status == TaskStatus::waiting);
    const auto before = world.records(id);
    changed = true;
    world.restart();
    world.wait(world.host->wake(id));
    const TaskState state = world.rest(id);
    CHECK(state.status == TaskStatus::paused);
    CHECK(state.pause_text.find("branch:1.0/short/ask:1") != std::string::npos);
    const auto after = world.records(id);
    CHECK(after.size() == before.size() + 1);  // the pause
    CHECK(after.back().kind == RecordKind::pause);
}
