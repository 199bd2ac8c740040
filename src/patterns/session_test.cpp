// Sessions as people have them: react over several turns.
#include "engine/session.hpp"

#include "engine/retention.hpp"
#include "engine/test_world.hpp"
#include "engine/transfer.hpp"
#include "patterns/patterns.hpp"
#include "storage/temporary_folder.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using model::TaskStatus;

namespace {

const std::string kSession = "6f1c0a52-1111-4222-8333-444455556666";
constexpr std::string_view kKey = "sk-proj-0123456789abcdefghijABCDEFGHIJ0123456789";

struct Talk : World {
    explicit Talk(std::uint64_t seed = 0) : World(seed)
    {
        patterns::add_patterns(patterns);
        model->answer = [](const llm::Request& request) { return says("re: " + request.messages.back()->text); };
    }

    CreateTask message(std::string text)
    {
        CreateTask request{.team = team_of({"calculator"}), .description = std::move(text)};
        request.session = kSession;
        return request;
    }
    Id begin_turn(CreateTask request) { return wait(commands->create(kAnn, std::move(request))); }
    TaskState say(std::string text) { return rest(begin_turn(message(std::move(text)))); }

    /// What the model heard last, in short.
    std::vector<std::string> heard() const
    {
        std::vector<std::string> texts;
        for (const auto& one : model->requests.back().messages)
            texts.push_back((one->role == model::Role::user ? "u " : "a ") + one->text);
        return texts;
    }
    std::size_t documents() { return wait(store.list(std::string(kConversationDocument), {}, SIZE_MAX)).size(); }
};

std::string error_text(const std::function<void()>& act)
{
    try {
        act();
    } catch (const Error& error) {
        return error.what() + (error.hint().verb.empty() ? "" : " [" + error.hint().verb + "]");
    }
    return "";
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("session: each turn hears the ones before it, also after a restart")
{
    Talk talk;
    talk.say("one");
    CHECK(talk.heard() == Texts{"u one"});
    talk.say("two");
    CHECK(talk.heard() == Texts{"u one", "a re: one", "u two"});
    talk.restart();
    const TaskState third = talk.say("three");
    CHECK(talk.heard() == Texts{"u one", "a re: one", "u two", "a re: two", "u three"});
    CHECK(third.spec.turn == 3);
    CHECK(talk.documents() == 2);  // each turn once
    CHECK(talk.wait(talk.queries->conversation(kAnn, kSession)).size() == 6);
    CHECK(talk.wait(talk.commands->replay(kAnn, third.id)).diverged == "");
    CHECK(talk.wait(talk.queries->verify(kAnn, third.id)).problems.empty());

    const auto sessions = talk.wait(talk.queries->sessions(kAnn));
    REQUIRE(sessions.size() == 1);
    CHECK(sessions[0].turns == 3);
    CHECK(sessions[0].title == "three");
    CHECK(talk.wait(talk.queries->resolve_session(kAnn, "6f1c")) == kSession);
    CHECK(error_text([&] { talk.wait(talk.queries->resolve_session(kAnn, "7")); }).find("[sessions]") !=
          std::string::npos);
}

TEST_CASE("session: without a team, a turn has what the last one had")
{
    Talk talk;
    CreateTask first = talk.message("one");
    first.model = "fake";
    first.budget.steps = 7;
    const TaskState before = talk.rest(talk.begin_turn(std::move(first)));
    CreateTask next{.description = "two"};
    next.session = kSession;
    next.budget.tokens = 5000;
    const TaskState state = talk.rest(talk.begin_turn(std::move(next)));
    CHECK(state.spec.config == before.spec.config);
    CHECK(state.spec.agent == "worker");
    CHECK(state.spec.model == "fake");
    CHECK(state.budget.steps == 7);
    CHECK(state.budget.tokens == 5000);
    CreateTask nobody{.description = "x"};
    nobody.session = "00000000-0000-4000-8000-000000000000";
    CHECK(error_text([&] { talk.begin_turn(nobody); }) == "the team has no agents");
    nobody.session = "mine";
    CHECK(error_text([&] { talk.begin_turn(nobody); }).find("UUID") != std::string::npos);
}

TEST_CASE("session: who does not want to wait is refused while a turn is open, and told what helps")
{
    Talk talk;
    talk.model->delay = 1000ms;
    const CreateTask request = [&] {
        CreateTask one = talk.message("one");
        one.id = new_id(talk.random);
        return one;
    }();
    const Id first = talk.begin_turn(request);
    CHECK(talk.begin_turn(request) == first);  // the same again is no second turn
    const std::string refusal = error_text([&] {
        CreateTask two = talk.message("two");
        two.queue = false;
        talk.begin_turn(std::move(two));
    });
    CHECK(refusal.find("[resume " + short_id(first) + "]") != std::string::npos);
    CHECK(error_text([&] { talk.wait(talk.commands->undo(kAnn, kSession)); }) == refusal);
    talk.rest(first);
    talk.say("two");
    CHECK(talk.heard().size() == 3);
}

TEST_CASE("session: a turn that failed or was stopped is left out of what follows")
{
    Talk talk;
    talk.say("one");
    const auto answer = std::exchange(talk.model->answer, [](const llm::Request&) -> llm::Completion {
        throw llm::ModelError(Code::upstream, "no", false);
    });
    CHECK(talk.say("bad").status == TaskStatus::failed);
    talk.model->answer = answer;
    talk.model->delay = 1000ms;
    const Id stopped = talk.begin_turn(talk.message("slow"));
    talk.wait(talk.commands->cancel(kAnn, stopped, ""));
    talk.rest(stopped);
    talk.say("two");
    CHECK(talk.heard() == Texts{"u one", "a re: one", "u two"});
}

TEST_CASE("session: undo leaves out one turn after the other, and survives a restart")
{
    Talk talk;
    for (const char* text : {"one", "two", "three"}) talk.say(text);
    CHECK(talk.wait(talk.commands->undo(kAnn, kSession)) == "three");
    CHECK(talk.wait(talk.commands->undo(kAnn, kSession)) == "two");
    talk.restart();
    CHECK(talk.wait(talk.queries->conversation(kAnn, kSession)).size() == 2);
    talk.say("other");
    CHECK(talk.heard() == Texts{"u one", "a re: one", "u other"});
    CHECK(talk.wait(talk.commands->undo(kAnn, kSession)) == "other");
    CHECK(talk.wait(talk.commands->undo(kAnn, kSession)) == "one");
    CHECK(error_text([&] { talk.wait(talk.commands->undo(kAnn, kSession)); }) == "there is no turn to leave out");
    talk.say("new");
    CHECK(talk.heard() == Texts{"u new"});
}

TEST_CASE("session: a turn that a crash cut off goes on with the same history")
{
    Talk talk;
    talk.say("one");
    talk.model->delay = 1000ms;
    const Id cut = talk.begin_turn(talk.message("two"));
    talk.restart();
    talk.model->delay = 0ms;
    CHECK(talk.wait(talk.queries->session(kAnn, kSession)).is_open());
    talk.wait(talk.commands->resume(kAnn, cut));
    CHECK(talk.rest(cut).reply->text == "re: two");
    CHECK(talk.heard() == Texts{"u one", "a re: one", "u two"});
    talk.say("three");
    CHECK(talk.heard().size() == 5);
}

TEST_CASE("session: putting a task away at once does not wait for a model, and repeats nothing else")
{
    Talk talk;
    talk.model->delay = 60'000ms;
    const Id id = talk.begin_turn(talk.message("one"));
    const Time before = talk.loop.clock().now();
    talk.wait(talk.host->park_at_once(id));
    CHECK(talk.loop.clock().now() - before < 1000ms);
    CHECK(talk.state(id).status == TaskStatus::running);
    talk.wait(talk.commands->pause(kAnn, id));
    CHECK(talk.state(id).status == TaskStatus::paused);
    talk.model->delay = 0ms;
    talk.wait(talk.commands->resume(kAnn, id));
    CHECK(talk.rest(id).reply->text == "re: one");
}

TEST_CASE("session: a fork hears what its task heard, and is no turn")
{
    Talk talk;
    talk.say("one");
    const TaskState second = talk.say("two");
    const ForkReport fork = talk.wait(talk.commands->fork(kAnn, {.from = second.id, .description = "instead"}));
    talk.wait(talk.host->wake(fork.task));
    CHECK(talk.rest(fork.task).reply->text == "re: instead");
    CHECK(talk.heard() == Texts{"u one", "a re: one", "u instead"});
    CHECK(!talk.state(fork.task).spec.session);
    talk.say("three");
    CHECK(talk.heard() == Texts{"u one", "a re: one", "u two", "a re: two", "u three"});
}

TEST_CASE("session: what is delegated hears nothing of the conversation")
{
    Talk talk;
    talk.patterns.add({"hand_on@1", [](Run& run) -> Async<model::Reply> {
                           if (run.prompt() != "help") run.tell_history();
                           run.tell(run.prompt());
                           const Step step = co_await run.think(run.agent());
                           if (run.prompt() == "help") co_return run.reply(step.text);
                           co_return co_await run.delegate(run.agent(), "help");
                       }});
    talk.say("one");
    CreateTask request = talk.message("two");
    request.pattern = "hand_on@1";
    const TaskState state = talk.rest(talk.begin_turn(std::move(request)));
    CHECK(state.status == TaskStatus::completed);
    CHECK(talk.model->requests.at(1).messages.size() == 3);
    CHECK(talk.heard() == Texts{"u help"});
    CHECK(talk.wait(talk.queries->sessions(kAnn)).at(0).turns == 2);
}

TEST_CASE("session: what was said before travels with a run, masked where it must be")
{
    Talk home(1);
    home.say("my key is " + std::string(kKey));
    home.say("two");
    const TaskState third = home.say("three");
    const std::string full = file_of(home.wait(home.queries->export_run(kAnn, third.id, true)));
    const std::string text = file_of(home.wait(home.queries->export_run(kAnn, third.id, false)));
    CHECK(full.find(kKey) != full.npos);
    CHECK(text.find(kKey) == text.npos);

    Talk whole(2), masked(3);
    whole.wait(whole.commands->import_run(kAnn, transfer_from(full)));
    CHECK(whole.wait(whole.commands->replay(kAnn, third.id)).diverged == "");
    // what was imported is a turn of no session here, until somebody continues it
    CHECK(error_text([&] { whole.wait(whole.queries->conversation(kAnn, kSession)); }).find("there is no session") !=
          std::string::npos);
    whole.say("four");
    CHECK(whole.heard().size() == 7);
    masked.wait(masked.commands->import_run(kAnn, transfer_from(text)));
    CHECK(masked.wait(masked.commands->replay(kAnn, third.id)).diverged == "");
    masked.say("four");
    CHECK(masked.heard().front().find("[redacted]") != std::string::npos);

    // without one of the turns it makes no sense
    Transfer poorer = home.wait(home.queries->export_run(kAnn, third.id, true));
    std::erase_if(poorer.documents, [](const storage::Document& one) { return one.kind == kConversationDocument; });
    CHECK(error_text([&] { transfer_from(file_of(poorer)); }).find("what was said before") != std::string::npos);
}

TEST_CASE("session: retention takes nothing from newer turns, and the rest with the last of them")
{
    Talk talk;
    storage::TemporaryFolder folder;
    const auto collect = [&] {
        Collector collector(
            {.store = talk.store, .pool = talk.pool, .folder = folder.path(), .clock = talk.loop.clock()});
        return talk.wait(collector.collect({.default_days = 10, .scope = model::framework::PurgeScope::history}))
            .size();
    };
    const auto days = [&](int number) { talk.loop.manual_clock().jump(std::chrono::days(number)); };
    talk.say("one");
    days(6);
    talk.say("two");
    days(6);
    CHECK(collect() == 1);
    CHECK(talk.documents() == 1);
    talk.say("three");
    CHECK(talk.heard() == Texts{"u one", "a re: one", "u two", "a re: two", "u three"});
    days(30);
    CHECK(collect() == 2);
    CHECK(talk.documents() == 0);
}
