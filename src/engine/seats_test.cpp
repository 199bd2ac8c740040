#include "engine/seats.hpp"

#include "engine/test_cut.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using model::TaskStatus;
using storage::RecordKind;

TEST_CASE("map: never more branches are at work than its width")
{
    int at_work = 0, most = 0;
    Stage world([](Run& run) -> Async<model::Reply> {
        const auto body = [](Run& branch, int n) { return pay_for(branch, n, 0, 2); };
        co_await run.map(std::vector<int>{1, 2, 3, 4, 5, 6, 7}, {.width = 3}, body);
        co_return run.reply("done");
    });
    const Id id = world.play();
    CHECK(ending(world.finish(id)) == "done");
    std::set<std::string> open;
    for (const auto& record : world.records(id)) {
        const std::string branch = record.path.substr(0, record.path.find('/'));
        if (record.kind == RecordKind::intent) at_work += open.insert(branch).second;
        if (record.path.ends_with("use:2.0") && record.kind == RecordKind::outcome) --at_work;
        most = std::max(most, at_work);
    }
    CHECK(most == 3);
}

TEST_CASE("structure case 8: four branches of a one-seat agent, killed while the third sits: it keeps its seat, and "
          "one at a time works")
{
    const auto pattern = [](Run& run) -> Async<model::Reply> {
        const auto body = [](Run& branch, int n) -> Async<std::string> {
            co_await branch.sleep(Millis(100 - 10 * n));  // the last comes first
            branch.take_seat(branch.agent(), 1);
            co_return co_await pay_for(branch, n, 0, 2);
        };
        std::string all;
        for (const std::string& one : co_await run.map(std::vector<int>{1, 2, 3, 4}, body)) all += one + " ";
        co_return run.reply(all);
    };
    check_cuts(pattern, "paid 1 paid 2 paid 3 paid 4 ", true);

    Stage world(pattern);
    const Id id = world.play();
    world.finish(id);
    const auto journal = world.records(id);
    std::vector<std::string> order;  // in which they worked
    for (const auto& record : journal)
        if (record.kind == RecordKind::intent && effect_of(record) == EffectKind::use) order.push_back(record.path);
    CHECK(order == std::vector<std::string>{"branch:1.3/use:1.0", "branch:1.3/use:2.0", "branch:1.2/use:1.0",
                                            "branch:1.2/use:2.0", "branch:1.1/use:1.0", "branch:1.1/use:2.0",
                                            "branch:1.0/use:1.0", "branch:1.0/use:2.0"});
    const auto third = std::ranges::find(journal, "branch:1.1/use:1.0", &storage::Record::path) - journal.begin();
    Stage second(pattern);
    second.adopt(journal, static_cast<std::size_t>(third) + 2);  // its first payment is through
    CHECK(second.finish(id).status == TaskStatus::completed);
    std::vector<std::string> then;
    for (const auto& record : second.records(id))
        if (record.kind == RecordKind::intent && effect_of(record) == EffectKind::use) then.push_back(record.path);
    CHECK(then == order);
}

TEST_CASE("seats that are taken in opposite orders end with a message instead of never")
{
    Stage world([](Run& run) -> Async<model::Reply> {
        const auto body = [](Run& branch, int n) -> Async<std::string> {
            Agent one = branch.agent(), other = branch.agent();
            other.name = "other";
            branch.take_seat(n == 0 ? one : other, 1);
            co_await branch.sleep(Millis(10));
            co_return co_await branch.node("inner", [&](Run& inner) -> Async<std::string> {
                inner.take_seat(n == 0 ? other : one, 1);
                co_await inner.sleep(Millis(10));
                co_return "sat";
            });
        };
        co_return run.reply(words_of(co_await run.collect(std::vector<int>{0, 1}, body)));
    });
    const std::string text = ending(world.finish(world.play()));
    CHECK(text.find(R"(branch:1.0/inner/sleep:1 waits for ever for a seat of agent "other")") != std::string::npos);
    CHECK(text.find("sat") != std::string::npos);
}
