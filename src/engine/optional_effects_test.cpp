// Effects that are recorded only where they did something: checks and compactions, when the process dies after any record.
#include "engine/test_seams.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using model::TaskStatus;

TEST_CASE(
    "structure case 1: recorded verdicts stand, whatever the policies say now, and the next check hears the new ones")
{
    const auto pattern = [](Run& run) -> Async<model::Reply> {
        std::string text;
        for (const char* said : {"good", "bad", "good", "bad", "good"}) {
            const GuardVerdict verdict = co_await run.check(Place::output, said);
            text += verdict.action == GuardAction::block ? "block " : verdict.found_nothing() ? "- " : "warn ";
            co_await run.now();
        }
        co_return run.reply(text);
    };
    Seams whole(pattern);
    const Id id = whole.play();
    const auto journal = journal_of(whole, id);
    CHECK(ending(whole.state(id)) == "- warn - warn - ");
    CHECK(journal.size() == 3 + 5 + 2);  // only what was found
    CHECK(count_of(events_in(journal), "event_guardrail_violation") == 2);
    for (std::size_t length = 2; length < journal.size(); ++length) {
        CAPTURE(length);
        Seams world(pattern);
        world.guard.action = GuardAction::block;
        world.guard.word = "o";  // and what passed would not pass any more
        world.adopt(journal, length);
        CHECK(world.finish(id).status == TaskStatus::completed);
        const std::string said = ending(world.state(id));
        // what the journal has seen stays; the rest is judged by what counts now
        std::size_t passed = 0;
        for (const auto& record : std::span(journal).first(length))
            if (effect_of(record) == EffectKind::now) ++passed;
        const std::string_view before[] = {"- ", "warn ", "- ", "warn ", "- "};
        std::string expected;
        for (std::size_t i = 0; i < 5; ++i) {
            const bool recorded =
                i == passed && length < journal.size() && effect_of(journal[length - 1]) == EffectKind::check;
            expected += i < passed || recorded ? before[i] : i % 2 == 0 ? "block " : "- ";
        }
        CHECK(said == expected);
        CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
    }
}

TEST_CASE(
    "checks: arguments of a call are judged before anybody is asked, and it goes on after a crash as it was judged")
{
    const auto pattern = [](Run& run) -> Async<model::Reply> {
        model::ToolCall call{.id = "c", .tool_name = "pay", .args = {{"n", 1}}};
        co_return run.reply((co_await run.use(run.agent(), {std::move(call)}))[0].text);
    };
    struct {
        GuardAction action;
        const char* says;
    } const cases[] = {
        {GuardAction::warn, "paid 1"},
        {GuardAction::rewrite, "paid 7"},
        {GuardAction::ask, "paid 1"},
        {GuardAction::block, "This call of pay was withheld by policy \"words\"."},
    };
    for (const auto& one : cases) {
        CAPTURE(one.says);
        Seams whole(pattern);
        whole.guard.word = "n";
        whole.guard.action = one.action;
        const Id id = whole.play();
        CHECK(ending(whole.finish(id)) == one.says);
        const auto journal = whole.records(id);
        CHECK_FALSE(outcome_at(journal, "use:1.0/check:1").empty());
        CHECK(count_of(events_in(journal), "event_hitl_request") == (one.action == GuardAction::ask ? 1 : 0));
        for (std::size_t length = 3; length < journal.size(); ++length) {
            CAPTURE(length);
            Seams world(pattern);
            world.guard.action = GuardAction::block;  // by now
            world.guard.word = "n";
            world.adopt(journal, length);
            CHECK(ending(world.finish(id)) == one.says);
            CHECK(world.guard.asked == 0);
        }
    }
}

TEST_CASE("checks: a message is judged before it is sent, once, and after a crash it goes as it was judged")
{
    const auto pattern = [](Run& run) -> Async<model::Reply> {
        std::string said;
        try {
            said = (co_await run.send({.agent = "a", .channel = "mail", .to = "ann", .content = "bad"})).id;
        } catch (const Error& error) {
            said = error.what();
        }
        co_return run.reply(said);
    };
    struct {
        GuardAction action;
        const char* says;
    } const cases[] = {
        {GuardAction::warn, "id of bad"},
        {GuardAction::rewrite, R"(id of {"n":7})"},
        {GuardAction::ask, "id of bad"},
        {GuardAction::block, "a message to ann was withheld by policy \"words\""},
    };
    for (const auto& one : cases) {
        CAPTURE(one.says);
        Seams whole(pattern);
        whole.guard.places = {Place::send};
        whole.guard.action = one.action;
        const Id id = whole.play();
        CHECK(ending(whole.finish(id)) == one.says);
        const auto journal = whole.records(id);
        CHECK_FALSE(outcome_at(journal, "send:1/check:1").empty());
        CHECK(count_of(events_in(journal), "event_hitl_request") == (one.action == GuardAction::ask ? 1 : 0));
        CHECK(whole.sender.dispatched.size() == (one.action == GuardAction::block ? 0 : 1));
        for (std::size_t length = 3; length < journal.size(); ++length) {
            CAPTURE(length);
            Seams world(pattern);
            world.guard.places = {Place::send};
            world.guard.action = GuardAction::block;  // by now
            world.adopt(journal, length);
            CHECK(ending(world.finish(id)) == one.says);
            CHECK(world.guard.asked == 0);
            CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
        }
    }
}

TEST_CASE("structure case 6: a compaction is decided once, by the release that did it, and its model is asked once")
{
    const auto pattern = [](Run& run) -> Async<model::Reply> {
        std::string said;
        for (int i = 0; i < 4; ++i) {
            run.tell("turn " + std::to_string(i));
            said = (co_await run.think(run.agent())).text;
        }
        co_return run.reply(said);
    };
    Seams whole(pattern);
    const Id id = whole.play();
    const auto journal = journal_of(whole, id);
    const std::string said = ending(whole.state(id));
    // three messages fit: the third turn finds five, the fourth again
    CHECK(outcome_at(journal, "compact:3").find(R"("upto":4)") != std::string::npos);
    CHECK(outcome_at(journal, "compact:3/think:1").find("Sum up 4 messages.") != std::string::npos);
    CHECK(outcome_at(journal, "compact:4") != "");
    CHECK(outcome_at(journal, "compact:1") == "");
    CHECK(count_of(events_in(journal), "event_memory_consolidate") == 2);
    CHECK(said.starts_with("re 3 "));  // the first message, the summary, the new one
    for (std::size_t length = 2; length < journal.size(); ++length) {
        CAPTURE(length);
        Seams world(pattern);
        world.adopt(journal, length);
        CHECK(ending(world.finish(id)) == said);
        CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
        // another counter, which would compact nothing, or everything
        for (const std::size_t most : {std::size_t{0}, std::size_t{100}}) {
            Seams other(pattern);
            other.compactor.most = most;
            other.adopt(journal, length);
            CHECK(other.finish(id).status == TaskStatus::completed);
            const auto records = other.records(id);
            for (std::size_t i = 0; i < length; ++i) CHECK(records[i].body == journal[i].body);
            CHECK(other.wait(other.commands->replay(kAnn, id)).diverged == "");
        }
    }
    // one that cannot compact at all reads what was done
    Stage without(pattern);
    without.model->answer = whole.model->answer;
    without.adopt(journal, journal.size() - 1);
    CHECK(ending(without.finish(id)) == said);
}
