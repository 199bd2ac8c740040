// What runs ask of other rooms; how it goes when the process dies after any record.
#include "engine/body.hpp"
#include "engine/test_seams.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using model::TaskStatus;

namespace {

Async<model::Reply> use_all(Run& run)
{
    const Remembered one = co_await run.remember({.agent = "worker", .text = "plums are blue"});
    const Remembered two = co_await run.remember({.agent = "worker", .text = "plums are blue"});
    const Recall recall = co_await run.recall({.agent = "worker", .text = "plums"});
    const model::Decision decision = co_await run.route({.text = "fruit", .catalogue = {{.name = "garden"}}});
    std::string text = one.id + (two.change == MemoryChange::merged ? " merged " : " ") +
                       std::to_string(recall.hits.size()) + " " + decision.targets.front();
    for (const char* content : {"a", "a", "bb"}) {
        const Saved saved = co_await run.save({.agent = "worker", .path = "x.txt", .content = content});
        text += " v" + std::to_string(saved.artifact.version);
    }
    for (const char* piece : {"1", "2", "3"})
        text += " " + (co_await run.send({.channel = "sms", .to = "+1", .content = piece})).id;
    co_return run.reply(text);
}

constexpr const char* kAllSaid = "mem_plums are blue merged 1 garden v1 v1 v2 id of 1 id of 2 id of 3";

}  // namespace

TEST_CASE("seams: each effect is performed once, and its events are told")
{
    Seams world(use_all);
    const Id id = world.play();
    CHECK(ending(world.finish(id)) == kAllSaid);
    const auto records = world.records(id);
    const auto types = events_in(records);
    CHECK(count_of(types, "event_memory_store") == 1);
    CHECK(count_of(types, "event_memory_retrieve") == 1);
    CHECK(count_of(types, "event_artifact_created") == 1);
    CHECK(count_of(types, "event_artifact_modified") == 1);
    CHECK(count_of(types, "event_artifact_versioned") == 1);
    CHECK(world.state(id).artifacts.at("x.txt").version == 2);
    CHECK(world.sender.dispatched.size() == 3);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
    CHECK(world.wait(world.queries->verify(kAnn, id)).problems.empty());
}

TEST_CASE("structure cases 2 and 10: a crash after any record remembers once, keeps versions apart and sends no "
          "message twice")
{
    Seams whole(use_all);
    const Id id = whole.play();
    const auto journal = journal_of(whole, id);
    for (std::size_t length = 2; length < journal.size(); ++length) {
        CAPTURE(length);
        Seams world(use_all);
        // what the memory had done till then, also where the journal does not say so
        world.memory.items.emplace("mem_plums are blue",
                                   FakeMemory::Item{"plums are blue", to_string(id) + "remember:1"});
        std::set<std::string> sent;
        for (const auto& record : std::span(journal).first(length))
            if (record.kind == storage::RecordKind::intent && effect_of(record) == EffectKind::send)
                sent.insert(body_of<IntentBody>(record).key.str());
        world.adopt(journal, length);
        TaskState state = world.rest(id);
        for (int i = 0; i < 3 && state.status == TaskStatus::waiting; ++i) {
            const auto& context = state.questions.front().request.context;
            CHECK(context.at("question").as_string() == "It is not known whether this message was sent. Was it?");
            const std::string piece(context.at("message").as_string());
            world.wait(world.commands->answer(kAnn, id, "",
                                              {.verb = model::HumanVerb::happened, .message = "id of " + piece}));
            state = world.rest(id);
        }
        CHECK(ending(state) == kAllSaid);
        for (const std::string& key : world.sender.dispatched) CHECK(sent.insert(key).second);
        CHECK(world.memory.items.size() == 1);
        const auto types = events_in(world.records(id));
        CHECK(count_of(types, "event_memory_store") == 1);
        CHECK(count_of(types, "event_artifact_created") == 1);
        CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
    }
}

TEST_CASE("seams: what became of a message is looked for before a person is asked")
{
    const auto pattern = [](Run& run) -> Async<model::Reply> {
        co_return run.reply((co_await run.send({.channel = "sms", .to = "ann", .content = "hello"})).id);
    };
    Seams whole(pattern);
    const Id id = whole.play();
    const auto journal = journal_of(whole, id);
    REQUIRE(journal[2].kind == storage::RecordKind::intent);
    const std::string key = body_of<IntentBody>(journal[2]).key.str();

    SUBCASE("it was found: that is its outcome")
    {
        Seams world(pattern);
        world.sender.finds = true;
        world.adopt(journal, 3);
        CHECK(ending(world.rest(id)) == "id of hello");
        CHECK(world.sender.dispatched.empty());
        CHECK(world.sender.looked_for == std::vector{key});
        CHECK(world.sender.looked_since == journal[2].at);
        CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
    }
    SUBCASE("it was not: the person hears where it was looked for, and is asked once")
    {
        Seams world(pattern);
        world.adopt(journal, 3);
        REQUIRE(world.rest(id).status == TaskStatus::waiting);
        const auto asked = world.records(id);
        CHECK(world.rest(id).questions.front().request.context.at("why").as_string() ==
              "the process ended during the call; it is not in the list");
        Seams next(pattern);
        next.sender.finds = true;  // too late: a person was asked, and answers
        next.adopt(asked, asked.size());
        REQUIRE(next.rest(id).status == TaskStatus::waiting);
        next.wait(next.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::not_happened}));
        CHECK(ending(next.rest(id)) == "id of hello");
        CHECK(next.sender.dispatched == std::vector{key + "#2"});
    }
    SUBCASE("nobody is asked where that is not wanted")
    {
        Seams world(pattern);
        world.sender.gives_up = true;
        world.adopt(journal, 3);
        const TaskState state = world.rest(id);
        CHECK(ending(state) == "failed: the process ended during the call; it is not known whether the call happened");
        CHECK(world.sender.dispatched.empty());
    }
}

TEST_CASE("seams: a message that is refused was not sent, one that is to come later is sent later")
{
    const auto pattern = [](Run& run) -> Async<model::Reply> {
        co_return run.reply((co_await run.send({.channel = "sms", .to = "ann", .content = "hello"})).id);
    };
    Seams refused(pattern);
    refused.sender.fails = [](const Outgoing&) { throw SendRefused(Code::upstream, "no such number"); };
    CHECK(ending(refused.rest(refused.play())) == "failed: no such number");
    CHECK(refused.sender.dispatched.size() == 1);

    Seams slow(pattern);
    int calls = 0;
    slow.sender.fails = [&](const Outgoing&) {
        if (++calls < 5) throw SendRefused(Code::rate_limited, "later", Millis(90'000));
    };
    CHECK(ending(slow.rest(slow.play())) == "id of hello");
    CHECK(calls == 5);

    Seams unwanted(pattern);
    unwanted.sender.refuses = "opted_out";
    const Id id = unwanted.play();
    CHECK(ending(unwanted.rest(id)) == "failed: send:1: opted_out");
    for (const storage::Record& record : unwanted.records(id)) CHECK(record.kind != storage::RecordKind::intent);
    CHECK(unwanted.sender.dispatched.empty());
}

TEST_CASE("seams: a channel that knows keys is asked again with the same one, and nobody is bothered")
{
    const auto pattern = [](Run& run) -> Async<model::Reply> {
        co_return run.reply((co_await run.send({.channel = "mail", .to = "ann", .content = "hello"})).id);
    };
    Seams whole(pattern);
    const Id id = whole.play();
    const auto journal = journal_of(whole, id);
    REQUIRE(journal[2].kind == storage::RecordKind::intent);
    Seams world(pattern);
    world.adopt(journal, 3);
    CHECK(ending(world.rest(id)) == "id of hello");
    CHECK(world.sender.dispatched == whole.sender.dispatched);
}

TEST_CASE("seams: what is not there is named, and the failure is on record")
{
    struct {
        std::function<Async<>(Run&)> act;
        const char* says;
    } const cases[] = {
        {[](Run& run) -> Async<> { co_await run.recall({.text = "x"}); }, "recall:1: this program has no memory"},
        {[](Run& run) -> Async<> { co_await run.remember({.text = "x"}); }, "remember:1: this program has no memory"},
        {[](Run& run) -> Async<> { co_await run.save({.path = "x"}); }, "save:1: this program keeps no artifacts"},
        {[](Run& run) -> Async<> { co_await run.send({.channel = "sms"}); }, "send:1: this program sends no messages"},
        {[](Run& run) -> Async<> { co_await run.route({.text = "x"}); }, "route:1: this program cannot route"},
    };
    for (const auto& one : cases) {
        CAPTURE(one.says);
        Stage world([&](Run& run) -> Async<model::Reply> {
            co_await one.act(run);
            co_return run.reply("");
        });
        const Id id = world.play();
        const TaskState state = world.rest(id);
        CHECK(state.error_code == "invalid");
        CHECK(state.error.find(one.says) != std::string::npos);
        CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
    }
    // those that are optional are passed by
    Stage world([](Run& run) -> Async<model::Reply> {
        const GuardVerdict verdict = co_await run.check(Place::output, "bad");
        co_await run.compact(run.agent());
        co_return run.reply(verdict.found_nothing() ? "fine" : "found");
    });
    const Id id = world.play();
    CHECK(ending(world.finish(id)) == "fine");
    CHECK(world.records(id).size() == 3);
}

TEST_CASE("seams: parallel writers of one path get a version each")
{
    Seams world([](Run& run) -> Async<model::Reply> {
        const auto versions =
            co_await run.map(std::vector<int>{1, 2}, [](Run& branch, int number) -> Async<std::string> {
                const Saved saved = co_await branch.save({.path = "x", .content = std::to_string(number)});
                co_return std::to_string(saved.artifact.version);
            });
        co_return run.reply(versions[0] + versions[1]);
    });
    world.artifacts.delay = Millis(5);
    const std::string said = ending(world.finish(world.play()));
    CHECK((said == "12" || said == "21"));
}

TEST_CASE("structure case 9: in a fork, a recall behind a live remember is live")
{
    const auto pattern = [](Run& run) -> Async<model::Reply> {
        co_await run.remember({.text = run.prompt()});
        const Recall recall = co_await run.recall({.text = "plums"});
        co_return run.reply(std::to_string(recall.hits.size()));
    };
    Seams world(pattern);
    const Id id = world.begin("play@1", {.description = "plums are blue", .agent = "worker"});
    CHECK(ending(world.finish(id)) == "1");
    const int recalls = world.memory.recalls;
    ForkTask request{.from = id};
    request.description = "plums are red";
    const ForkReport fork = world.wait(world.commands->fork(kAnn, std::move(request)));
    world.wait(world.host->wake(fork.task));
    CHECK(ending(world.finish(fork.task)) == "2");
    CHECK(world.memory.recalls == recalls + 1);
    // and where nothing is live before it, it is taken over
    ForkTask again{.from = id};
    again.at = ForkPoint{.number = 4};  // the recall
    const ForkReport same = world.wait(world.commands->fork(kAnn, std::move(again)));
    world.wait(world.host->wake(same.task));
    CHECK(ending(world.finish(same.task)) == "1");
    CHECK(world.memory.recalls == recalls + 1);
}

TEST_CASE("recall: an encoder elsewhere has an intent, and is asked again after a crash")
{
    const auto pattern = [](Run& run) -> Async<model::Reply> {
        co_return run.reply(std::to_string((co_await run.recall({.text = "x"})).hits.size()));
    };
    Seams whole(pattern);
    whole.memory.remote = true;
    const Id id = whole.play();
    const auto journal = journal_of(whole, id);
    REQUIRE(journal[2].kind == storage::RecordKind::intent);
    Seams world(pattern);
    world.adopt(journal, 3);
    CHECK(ending(world.finish(id)) == "0");
    CHECK(world.memory.recalls == 1);
}
