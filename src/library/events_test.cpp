#include "cadre/engine.hpp"
#include "library/test_engine.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace cadre {

using test::clerk;
using test::failure_of;

namespace {

std::string kinds_of(const std::vector<Event>& events)
{
    std::string kinds;
    for (const Event& event : events) kinds += (kinds.empty() ? "" : " ") + std::string(name_of(event.kind));
    return kinds;
}

std::vector<Event> all_of(Events& events)
{
    std::vector<Event> all;
    for (const Event& event : events) all.push_back(event);
    return all;
}

/// Says its answer in three pieces, after one call of the tool `add`.
Reply speaker(const Request& request, const Say& say)
{
    if (request.messages.back().role != "tool") return calls("add", R"({"a":20,"b":22})");
    for (const char* piece : {"It ", "is ", "42."}) say(piece);
    return {};
}

Async<std::string> two_questions(Run& run)
{
    const Answer first = co_await run.ask("May I?");
    if (!first.yes) co_return "No: " + first.text;
    co_return (co_await run.ask("Which colour?")).text;
}

}  // namespace

TEST_CASE("events are complete, in order, and have what the task did")
{
    Engine engine;
    engine.tool("add", "", {"a", "b"}, [](int a, int b) { return a + b; }, {.repeats = Repeats::pure});
    engine.use_model(speaker);
    const Task task = engine.start(clerk({"add"}), "What is 20 + 22?");
    Events live = task.events();
    std::vector<Event> events = all_of(live);

    std::string said;
    std::vector<Event> kept;
    for (const Event& event : events) {
        if (event.kind == EventKind::text) said += event.text;
        else kept.push_back(event);
    }
    CHECK(said == "It is 42.");
    CHECK(kinds_of(kept) == "started model_call model_reply tool_call tool_result model_call model_reply ended");
    for (std::size_t i = 0; i < kept.size(); ++i) CHECK(kept[i].number == i + 1);
    CHECK(kept[0].text == "What is 20 + 22?");
    CHECK(kept[1].agent == "clerk");
    CHECK(kept[3].tool == "add");
    CHECK(kept[3].arguments == R"({"a":20,"b":22})");
    CHECK(kept[4].tool == "add");
    CHECK(kept[4].call == kept[3].call);
    CHECK(kept[4].text == "42");
    CHECK(kept[7].status == Status::completed);
    CHECK(kept[7].text == "It is 42.");
    CHECK(kept[7].json.find("event_task_complete") != std::string::npos);
    CHECK_FALSE(live.next());

    Events late = task.events(Until::end, 6);  // who comes late has all that is kept
    CHECK(kinds_of(all_of(late)) == "model_reply ended");
}

TEST_CASE("the first who asks for events of a task that was started misses no word, though it is over")
{
    Engine engine;
    engine.use_model([](const Request&, const Say& say) {
        for (const char* piece : {"One", " two"}) say(piece);
        return Reply{};
    });
    const auto words_of = [](Events events) {
        std::string said;
        for (const Event& event : events)
            if (event.kind == EventKind::text) said += event.text;
        return said;
    };
    const Task task = engine.start(clerk(), "Count.");
    CHECK(task.wait().text == "One two");
    CHECK(words_of(task.events()) == "One two");
    CHECK(words_of(task.events()).empty());
}

TEST_CASE("pieces of an answer are heard before it is complete")
{
    Engine engine;
    std::promise<void> heard;
    engine.use_model([&](const Request&, const Say& say) {
        say("Well");
        heard.get_future().wait();
        return says("Well, yes.");
    });
    const Task task = engine.start(clerk(), "Is it?");
    std::string said;
    for (const Event& event : task.events()) {
        if (event.kind != EventKind::text) continue;
        if (said.empty()) heard.set_value();
        said += event.text;
    }
    CHECK(said == "Well, yes.");
    CHECK(task.wait().text == "Well, yes.");
}

TEST_CASE("events end where a task waits for a person, and continue there when it was answered")
{
    Engine engine;
    engine.add_pattern("quiz@1", two_questions);
    const Task task = engine.start(clerk(), "Paint.", {.pattern = "quiz@1"});
    Events events = task.events();
    CHECK(kinds_of(all_of(events)) == "started question paused");
    const Outcome outcome = task.wait();
    CHECK(outcome.status == Status::waiting);
    REQUIRE(outcome.questions.size() == 1);
    CHECK(outcome.questions[0].kind == QuestionKind::approval);
    CHECK(outcome.text == "May I?");
    task.answer(yes());
    CHECK(kinds_of(all_of(events)) == "answer resumed question paused");
    task.answer("blue");
    CHECK(kinds_of(all_of(events)) == "answer resumed ended");
    CHECK(task.wait().text == "blue");
    CHECK(failure_of([&] { task.answer("red"); }).starts_with("conflict: "));
}

TEST_CASE("a question is answered by another thread while this one reads on")
{
    Engine engine;
    engine.tool("pay", "Pays.", {"amount"}, [](int amount) { return std::to_string(amount) + " paid"; },
                {.needs_approval = true});
    engine.use_model(test::calls_once("pay", R"({"amount":100})"));
    const Task task = engine.start(clerk({"pay"}), "Pay.");
    std::promise<Question> asked;
    std::thread person([&, question = asked.get_future()]() mutable {
        const Question it = question.get();
        CHECK(it.tool == "pay");
        CHECK(it.arguments == R"({"amount":100})");
        CHECK(it.text.find(R"(pay {"amount":100})") == 0);
        task.answer(instead(R"({"amount":7})"), it.id);
    });
    std::string result;
    for (const Event& event : task.events(Until::end)) {
        if (event.kind == EventKind::question) asked.set_value(event.question);
        if (event.kind == EventKind::tool_result) result = event.text;
    }
    person.join();
    CHECK(result == "7 paid");

    const Task again = engine.start(clerk({"pay"}), "Pay.");
    again.wait();
    again.answer(no("too much"));
    CHECK(again.wait().text == "The person declined: too much");
}

TEST_CASE("a listener has heard everything when wait() returns, and may answer itself")
{
    Engine engine;
    engine.add_pattern("quiz@1", two_questions);
    const Task task = engine.start(clerk(), "Paint.", {.pattern = "quiz@1"});
    std::vector<Event> heard;
    task.on_event([&, task](const Event& event) {
        heard.push_back(event);
        if (event.kind != EventKind::question) return;
        task.answer(event.text == "May I?" ? yes() : yes("green"));
        if (event.text != "May I?") CHECK(task.wait().text == "green");  // without waiting for itself
    });
    while (!is_over(task.wait().status)) std::this_thread::yield();  // it may be between two questions
    CHECK(kinds_of(heard) == "started question paused answer resumed question paused answer resumed ended");
}

TEST_CASE("a listener that fails hears no more, and the task is none the worse")
{
    std::atomic<int> logged = 0;
    Engine engine({.log = [&](std::string_view line) { logged += line.find("no time") != line.npos; }});
    engine.use_model(test::echo);
    const Task task = engine.start(clerk(), "Hi");
    std::atomic<int> heard = 0;
    task.on_event([&](const Event&) {
        ++heard;
        throw std::runtime_error("no time");
    });
    CHECK(task.wait().text == "Hi");
    CHECK(heard == 1);
    CHECK(logged == 1);
}

TEST_CASE("many readers on many threads see the same events")
{
    Engine engine;
    engine.use_model(speaker);
    engine.tool("add", "", {"a", "b"}, [](int a, int b) { return a + b; });
    const Task task = engine.start(clerk({"add"}), "What is 20 + 22?");
    std::vector<std::future<std::string>> readers;
    for (int i = 0; i < 8; ++i)
        readers.push_back(std::async(std::launch::async, [&] {
            std::string numbers;
            for (const Event& event : task.events())
                if (event.number) numbers += std::to_string(event.number) + " ";
            return numbers;
        }));
    for (auto& reader : readers) CHECK(reader.get() == "1 2 3 4 5 6 7 8 ");
}

}  // namespace cadre
