#include "cadre/engine.hpp"
#include "library/test_engine.hpp"
#include "storage/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <fstream>
#include <future>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace cadre {

using test::clerk;
using test::failure_of;
using test::kLimit;

namespace {

Async<std::string> nap(Run& run)
{
    co_await run.sleep(std::chrono::hours(1));
    co_return "rested";
}

Async<std::string> use_slow_tool(Run& run)
{
    co_return (co_await run.use("slow", "{}")).text;
}

/// What a task that cannot end does.
Task start_nap(Engine& engine)
{
    engine.add_pattern("nap@1", nap);
    return engine.start(clerk(), "Rest.", {.pattern = "nap@1"});
}

void write(const std::filesystem::path& file, std::string_view text)
{
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

}  // namespace

TEST_CASE("eight threads start and await tasks of one engine, and each gets its own answers")
{
    Engine engine({.threads = 8});
    engine.use_model(test::echo);
    std::mutex mutex;
    std::set<std::string> ids, wrong;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 50; ++i) {
                const std::string prompt = std::to_string(t) + "/" + std::to_string(i);
                const Outcome outcome = engine.run(clerk(), prompt);
                const std::lock_guard lock(mutex);
                ids.insert(outcome.task);
                if (outcome.status != Status::completed || outcome.text != prompt) wrong.insert(prompt);
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong.empty());
    CHECK(ids.size() == 400);
    CHECK(engine.tasks().empty());
    CHECK(engine.tasks(true).size() == 400);
}

TEST_CASE("an engine's tasks are found again by the next one on its home, and resumed")
{
    const storage::TemporaryFolder folder;
    std::string id;
    {
        Engine engine({.home = folder.path() / "home"});
        id = start_nap(engine).id();
        CHECK(engine.task(id).status() == Status::running);
        CHECK(failure_of([&] { Engine({.home = folder.path() / "home"}); }).starts_with("unavailable: the home "));
    }
    Engine engine({.home = folder.path() / "home"});
    const auto open = engine.tasks();
    REQUIRE(open.size() == 1);
    CHECK(open[0].id() == id);
    CHECK(open[0].status() == Status::interrupted);
    CHECK(engine.resume_all().empty());  // it needs a pattern that the program has not added yet
    engine.add_pattern("nap@1", nap);
    CHECK(engine.resume_all().size() == 1);
    CHECK(engine.task(id.substr(0, 8)).status() == Status::running);
    CHECK(engine.task(id).cancel("enough"));
    CHECK(engine.task(id).wait().status == Status::cancelled);
    CHECK(engine.tasks().empty());
}

TEST_CASE("an engine that goes waits for a tool at work, whose call is not repeated by the next one")
{
    const storage::TemporaryFolder folder;
    std::atomic<int> calls = 0;
    std::promise<void> begun, may_end;
    const auto slow = [&] {
        if (++calls > 1) return "twice";
        begun.set_value();
        may_end.get_future().wait();
        return "once";
    };
    const auto prepare = [&](Engine& engine) {
        engine.tool("slow", "", slow);
        engine.add_pattern("slow@1", use_slow_tool);
    };
    auto first = std::make_unique<Engine>(EngineOptions{.home = folder.path()});
    prepare(*first);
    const Task task = first->start(clerk({"slow"}), "Go.", {.pattern = "slow@1"});
    begun.get_future().wait();
    std::thread goes([&] { first.reset(); });
    while (failure_of([&] { task.status(); }).empty()) std::this_thread::yield();  // until it has begun to go
    may_end.set_value();
    goes.join();

    Engine second({.home = folder.path()});
    prepare(second);
    second.resume_all();
    CHECK(second.task(task.id()).wait().text == "once");
    CHECK(calls == 1);
}

TEST_CASE("who waits for a task is told when the engine goes")
{
    auto engine = std::make_unique<Engine>();
    const Task task = start_nap(*engine);
    auto waiting = std::async(std::launch::async, [&] { return failure_of([&] { task.wait(); }); });
    auto reading = std::async(std::launch::async, [&] {
        return failure_of([&] {
            for (const Event& event : task.events()) CHECK(event.number > 0);
        });
    });
    CHECK(!task.wait_for(std::chrono::milliseconds(1)));
    engine.reset();
    CHECK(waiting.get() == "unavailable: the engine was stopped");
    CHECK(reading.get() == "unavailable: the engine was stopped");
    CHECK(failure_of([&] { task.status(); }) == "unavailable: the engine was stopped");
}

TEST_CASE("a task is cancelled by another thread than the one that waits for it")
{
    Engine engine;
    const Task task = start_nap(engine);
    auto outcome = std::async(std::launch::async, [&] { return task.wait(); });
    CHECK(task.cancel("changed my mind"));
    REQUIRE(outcome.wait_for(kLimit) == std::future_status::ready);
    CHECK(outcome.get().status == Status::cancelled);
    CHECK_FALSE(task.cancel());
}

TEST_CASE("a task pauses and is resumed")
{
    Engine engine;
    const Task task = start_nap(engine);
    task.pause();
    CHECK(task.wait().status == Status::paused);
    CHECK(task.status() == Status::paused);
    task.resume();
    CHECK(task.status() == Status::running);
    CHECK(failure_of([&] { engine.task("00000000-0000-4000-8000-000000000000"); }).starts_with("not_found: "));
}

TEST_CASE("limits of the engine hold where a task has none of its own")
{
    Engine engine({.limits = {.steps = 1}});
    engine.use_model([](const Request& request) {
        return request.messages.back().role == "tool" ? says("done") : calls("calculator", R"({"expression":"1+1"})");
    });
    const Outcome failed = engine.run(clerk({"calculator"}), "Go.");
    CHECK(failed.status == Status::failed);
    CHECK(failed.code == Code::limit);
    CHECK(failed.text == "max_steps (1) reached");
    CHECK(engine.run(clerk({"calculator"}), "Go.", {.tokens = 1, .steps = 2}).status == Status::paused);
    CHECK(engine.run(clerk({"calculator"}), "Go.", {.steps = 2}).status == Status::completed);
}

TEST_CASE("what a task cannot be started with is said at once")
{
    Engine engine;
    CHECK(failure_of([&] { engine.start(clerk(), "Hi"); }).starts_with("invalid: no model is configured for clerk"));
    CHECK(failure_of([&] { engine.start("clerk", "Hi"); }).starts_with("invalid: the engine has no project"));
    CHECK(failure_of([&] { engine.use_model("script:missing.yaml"); }).find("missing.yaml") != std::string::npos);
    engine.use_model(test::echo);
    CHECK(failure_of([&] { engine.start(clerk(), " "); }) == "invalid: the prompt is empty");
    CHECK(failure_of([&] { engine.start(Agent{}, "Hi"); }) == "invalid: an agent needs a name");
    CHECK(failure_of([&] { engine.start(clerk({"nothing"}), "Hi"); }).find("nothing") != std::string::npos);
    CHECK(failure_of([&] { engine.start(clerk(), "Hi", {.pattern = "none@1"}); }).starts_with("not_found: "));
}

TEST_CASE("a model that is a function hears the agent, its temperature and its tools")
{
    Engine engine;
    engine.tool("add", "", [](int a, int b) { return a + b; });
    engine.add_model("other", [](const Request& request, const Say&) {
        return says(request.agent + " " + request.instructions + " " + request.tools.at(0) + " " +
                    std::to_string(request.temperature.value_or(0)));
    });
    CHECK(engine.run(clerk({"add"}), "Hi", {.model = "function/other", .temperature = 0.5}).text ==
          "clerk You help. add 0.500000");
    engine.use_model([](const Request&) -> Reply { throw std::runtime_error("out of words"); });
    const Outcome failed = engine.run(clerk(), "Hi");
    CHECK(failed.status == Status::failed);
    CHECK(failed.code == Code::upstream);
    CHECK(failed.text.find("out of words") != std::string::npos);
    const Outcome absent = engine.run(clerk(), "Hi", {.model = "function/absent"});
    CHECK(absent.text.find("function/absent") != std::string::npos);
}

TEST_CASE("a session's turn hears the turns before it")
{
    Engine engine;
    engine.use_model([](const Request& request) { return says(std::to_string(request.messages.size())); });
    const Session session = engine.session(clerk(), "ann");
    const std::string first = session.say("one").wait().text;
    const std::string second = session.say("two").wait().text;
    CHECK(first == "1");
    CHECK(second == "3");
    CHECK(engine.session(clerk(), "ann").say("three").wait().text == "5");
    CHECK(engine.session(clerk(), "bob").say("one").wait().text == "1");
    CHECK(engine.session(clerk(), session.id()).id() == session.id());
}

TEST_CASE("agents of a project run with tools of the program")
{
    const storage::TemporaryFolder folder;
    const auto project = folder.path() / "project";
    write(project / "cadre.yaml", "name: shop\n");
    write(project / "agents/clerk.yaml", "name: clerk\nrole: Helps.\nprompt: You help.\ntools: [calculator]\n");
    Engine engine({.project = project});
    engine.tool("price", "What it costs.", {"item"}, [](std::string item) { return item + " costs 3"; });
    engine.use_model(test::calls_once("price", R"({"item":"tea"})"));
    CHECK(engine.run("clerk", "How much is tea?", {.tools = {"price"}}).text == "tea costs 3");
    CHECK(failure_of([&] { engine.start("clark", "Hi"); }).find("did you mean clerk?") != std::string::npos);
}

TEST_CASE("a question of a delegated task is seen and answered at the task above it")
{
    const storage::TemporaryFolder folder;
    const auto project = folder.path() / "project";
    write(project / "cadre.yaml", "name: shop\n");
    write(project / "teams/shop.yaml", R"(name: shop
description: Sells.
default_llm: {}
agents:
  - {name: lead, role: Leads., prompt: You lead.}
  - {name: clerk, role: Counts., prompt: You count., tools: [calculator]}
tools: []
permissions: {ask: [calculator]}
handoff_rules: [{from_agent: lead, to_agent: clerk, handoff_type: hierarchical}]
)");
    for (const bool durable : {false, true}) {
        EngineOptions options{.project = project};
        if (durable) options.home = folder.path() / "home";
        Engine engine(options);
        engine.use_model([](const Request& request) {
            const Message& last = request.messages.back();
            if (last.role == "tool") return says(request.agent + ": " + last.text);
            if (request.agent == "lead") return calls("delegate", R"({"to":"clerk","task":"3 + 4?"})");
            return calls("calculator", R"({"expression":"3 + 4"})");
        });
        const Task task = engine.start("shop", "What is 3 + 4?");
        const auto outcome = task.wait_for(test::kLimit);
        REQUIRE(outcome);
        CHECK(outcome->status == Status::waiting);
        CHECK(task.status() == Status::waiting);
        REQUIRE(outcome->questions.size() == 1);
        CHECK(outcome->questions[0].tool == "calculator");
        CHECK(outcome->questions[0].agent == "clerk");
        CHECK(outcome->questions[0].task != task.id());
        task.answer(yes());
        CHECK(task.wait_for(test::kLimit)->text == "lead: clerk: 7");
    }
}

TEST_CASE("a pattern is told that it cannot wait for its own engine")
{
    Engine engine;
    engine.use_model(test::echo);
    static Engine* itself = nullptr;
    itself = &engine;
    engine.add_pattern("nested@1", [](Run&) -> Async<std::string> { co_return itself->run(clerk(), "Hi").text; });
    const Outcome outcome = engine.run(clerk(), "Hi", {.pattern = "nested@1"});
    CHECK(outcome.status == Status::failed);
    CHECK(outcome.code == Code::conflict);
}

TEST_CASE("lines of the log go to the program")
{
    const storage::TemporaryFolder folder;
    {
        Engine engine({.home = folder.path()});
        start_nap(engine);
    }
    std::mutex mutex;
    std::vector<std::string> lines;
    Engine engine({.home = folder.path(), .log = [&](std::string_view line) {
                       const std::lock_guard lock(mutex);
                       lines.emplace_back(line);
                   }});
    CHECK(engine.resume_all().empty());
    const std::lock_guard lock(mutex);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].find("nap@1") != std::string::npos);
}

TEST_CASE("the version is that of the headers")
{
    CHECK(version() == std::to_string(CADRE_VERSION_MAJOR) + "." + std::to_string(CADRE_VERSION_MINOR) + "." +
                           std::to_string(CADRE_VERSION_PATCH));
}

}  // namespace cadre
