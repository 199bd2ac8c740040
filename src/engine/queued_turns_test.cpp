// Messages for a session whose turn is still open.
#include "engine/session.hpp"

#include "engine/test_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using model::TaskStatus;

namespace {

const std::string kSession = "6f1c0a52-1111-4222-8333-444455556666";
using Texts = std::vector<std::string>;

struct Talking : World {
    Talking()
    {
        patterns.add({"talk@1", [](Run& run) -> Async<model::Reply> {
                          run.tell_history();
                          run.tell(run.prompt());
                          if (run.prompt() == "ask") co_await run.ask({.context = {{"question", "Go?"}}});
                          co_return run.reply((co_await run.think(run.agent())).text);
                      }});
        model->answer = [](const llm::Request& request) { return says("re: " + request.messages.back()->text); };
        model->delay = 1000ms;
    }
    Id say(std::string text, bool queue = true)
    {
        CreateTask request{.team = team_of({}), .description = std::move(text), .pattern = "talk@1"};
        request.session = kSession;
        request.queue = queue;
        return wait(commands->create(kAnn, std::move(request)));
    }
    Texts heard() const
    {
        Texts texts;
        for (const auto& one : model->requests.back().messages) texts.push_back(one->text);
        return texts;
    }
    std::string status(Id id) { return wait(queries->entry(kAnn, id)).status; }
    std::string refusal(Async<> work)
    {
        try {
            wait(std::move(work));
        } catch (const Error& error) {
            return std::string(name_of(error.code())) + ": " + error.what();
        }
        return "";
    }
};

}  // namespace

TEST_CASE("queued turns: each begins when those before it have ended, and hears what was said till then")
{
    Talking talk;
    const Id one = talk.say("one");
    const Id two = talk.say("two");
    const Id three = talk.say("three");
    CHECK(talk.status(one) == "running");
    CHECK(talk.status(two) == "pending");
    CHECK(talk.state(three).spec.after == to_string(two));
    CHECK(talk.model->requests.size() <= 1);
    const TaskState last = talk.rest(three);  // who waits for the last waits for all
    CHECK(last.status == TaskStatus::completed);
    CHECK(last.spec.turn == 3);
    CHECK(talk.heard() == Texts{"one", "re: one", "two", "re: two", "three"});
    CHECK(talk.wait(talk.queries->conversation(kAnn, kSession)).size() == 6);
    for (const Id id : {one, two, three}) {
        CHECK(talk.wait(talk.commands->replay(kAnn, id)).diverged == "");
        CHECK(talk.wait(talk.queries->verify(kAnn, id)).problems.empty());
    }
    // it can be exported, and forked with what it heard
    const Transfer transfer = talk.wait(talk.queries->export_run(kAnn, three, true));
    CHECK(transfer.documents.size() == 3);  // a team and two turns
    const ForkReport fork = talk.wait(talk.commands->fork(kAnn, {.from = three, .description = "instead"}));
    talk.wait(talk.host->wake(fork.task));
    CHECK(talk.rest(fork.task).status == TaskStatus::completed);
    CHECK(talk.heard() == Texts{"one", "re: one", "two", "re: two", "instead"});
}

TEST_CASE("queued turns: a restart at any time loses none and changes no order")
{
    for (int stage = 0; stage < 4; ++stage) {
        CAPTURE(stage);
        Talking talk;
        const Id one = talk.say("one");
        const Id two = talk.say("two");
        const Id three = talk.say("three");
        if (stage > 0) talk.wait(sleep_for(Millis(1000 * stage - 500)));
        talk.restart();
        talk.wait(talk.host->wake_all());
        CHECK(talk.rest(three).status == TaskStatus::completed);
        CHECK(talk.heard() == Texts{"one", "re: one", "two", "re: two", "three"});
        CHECK(talk.state(one).status == TaskStatus::completed);
        CHECK(talk.wait(talk.commands->replay(kAnn, two)).diverged == "");
    }
}

TEST_CASE("queued turns: when the process died between an end and the next beginning, whoever wakes that one begins it")
{
    Talking talk;
    const Id one = talk.say("one");
    const Id two = talk.say("two");
    // the first ends without anybody who knows of the second
    talk.restart();
    talk.wait(talk.host->wake(one));
    talk.rest(one);
    for (int i = 0; i < 100 && talk.status(two) != "completed"; ++i) talk.wait(sleep_for(100ms));
    CHECK(talk.status(two) == "completed");
    CHECK(talk.heard() == Texts{"one", "re: one", "two"});

    // nor did anybody begin it who could have
    const Id three = talk.say("three");
    const Id four = talk.say("four");
    for (int i = 0; i < 100 && talk.model->requests.size() < 3; ++i) talk.wait(sleep_for(10ms));
    talk.wait(talk.host->drain());
    CHECK(talk.status(three) == "completed");
    CHECK(talk.status(four) == "pending");
    talk.restart();
    talk.wait(talk.host->wake(four));
    CHECK(talk.rest(four).status == TaskStatus::completed);
    CHECK(talk.heard() == Texts{"one", "re: one", "two", "re: two", "three", "re: three", "four"});
}

TEST_CASE("queued turns: one that fails, or is cancelled, is left out and keeps nobody waiting")
{
    Talking talk;
    const Id one = talk.say("one");
    const Id two = talk.say("two");
    const Id three = talk.say("three");
    CHECK(talk.wait(talk.commands->cancel(kAnn, two, "not needed")));
    CHECK(talk.rest(two).status == TaskStatus::cancelled);
    CHECK(talk.status(one) == "running");
    CHECK(talk.status(three) == "pending");
    const Id four = talk.say("four");  // behind all that are there
    CHECK(talk.state(four).spec.turn == 4);
    CHECK(talk.rest(four).status == TaskStatus::completed);
    CHECK(talk.heard() == Texts{"one", "re: one", "three", "re: three", "four"});
    CHECK(talk.wait(talk.queries->conversation(kAnn, kSession)).size() == 6);

    // the newest was cancelled before it began: what counts is known all the same
    const Id five = talk.say("five");
    const Id six = talk.say("six");
    talk.wait(talk.commands->cancel(kAnn, six, ""));
    CHECK(talk.wait(talk.queries->conversation(kAnn, kSession)).size() == 6);
    CHECK(talk.wait(talk.queries->session(kAnn, kSession)).is_open());
    talk.rest(five);
    CHECK_FALSE(talk.wait(talk.queries->session(kAnn, kSession)).is_open());
    CHECK(talk.wait(talk.commands->undo(kAnn, kSession)) == "five");
    talk.rest(talk.say("seven"));
    CHECK(talk.heard() == Texts{"one", "re: one", "three", "re: three", "four", "re: four", "seven"});
}

TEST_CASE("queued turns: behind a question they wait as long as it does, and say so")
{
    Talking talk;
    const Id one = talk.say("ask");
    talk.rest(one);
    const Id two = talk.say("two");
    CHECK(talk.rest(two).status == TaskStatus::pending);
    const std::string says =
        "conflict: task " + to_string(two) + " begins when task " + to_string(one) + " has ended, the turn before it";
    CHECK(talk.refusal(talk.commands->start(kAnn, two)) == says);
    CHECK(talk.refusal(talk.commands->instruct(kAnn, two, "x")) == says);
    CHECK(talk.refusal(talk.commands->resume(kAnn, two)) == "");  // it will go on by itself
    talk.restart();
    talk.wait(talk.host->wake_all());
    CHECK(talk.rest(two).status == TaskStatus::pending);
    talk.wait(talk.commands->answer(kAnn, one, "", {}));
    CHECK(talk.rest(two).status == TaskStatus::completed);
    CHECK(talk.heard() == Texts{"ask", "re: ask", "two"});
}

TEST_CASE("queued turns: no more than 32, and who does not want to wait is refused")
{
    Talking talk;
    const Id one = talk.say("one");
    CHECK_THROWS_WITH_AS(talk.say("not now", false), doctest::Contains("has not ended: it is running"), Error);
    for (std::size_t i = 0; i < kMostQueued; ++i) talk.say("more");
    try {
        talk.say("too many");
        CHECK(false);
    } catch (const Error& error) {
        CHECK(error.code() == Code::rate_limited);
        CHECK(std::string(error.what()).find("32 turns that wait") != std::string::npos);
    }
    talk.rest(one);
    const Id last = talk.say("again");
    CHECK(talk.rest(last).spec.turn == 34);
}

TEST_CASE("queued turns: without a team, one has what the one before it had")
{
    Talking talk;
    talk.say("one");
    CreateTask request{.description = "two", .pattern = "talk@1"};
    request.session = kSession;
    const Id two = talk.wait(talk.commands->create(kAnn, std::move(request)));
    const TaskState state = talk.rest(two);
    CHECK(state.status == TaskStatus::completed);
    CHECK(state.spec.agent == "worker");
}
