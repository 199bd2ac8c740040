#include "engine/test_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using model::TaskStatus;
using storage::Record;
using storage::RecordKind;

namespace {

using Paths = std::vector<std::string>;

/// A writer drafts, writes a file, an editor comments, and the file is read again.
Async<model::Reply> publish(Run& run)
{
    const Agent& writer = run.agent("writer");
    run.tell(run.prompt());
    const Step draft = co_await run.think(writer);
    co_await run.use(writer, draft.calls);
    run.tell("Comment.");
    const Step comment = co_await run.think(run.agent("editor"));
    co_await run.use(run.agent("editor"), comment.calls);
    run.tell("Conclude.");
    co_return run.reply((co_await run.think(writer)).text);
}

/// Two agents, two tools that write and read one variable, and models that answer by what they are told.
struct Press : World {
    Press()
    {
        patterns.add({"publish@1", publish});
        team = model::Team{.name = "press",
                           .agents = {{.name = "writer", .role = "writes", .tools = {"write"}, .prompt = "You write."},
                                      {.name = "editor", .role = "edits", .tools = {"read"}, .prompt = "You edit."}}};
        write = add_tool("write", model::Effect::once);
        write->answer = [this](const tools::Call& call) {
            content = std::string(call.arguments.at("text").as_string());
            return tools::Result{.text = "written"};
        };
        read = add_tool("read", model::Effect::pure);
        read->answer = [this](const tools::Call&) { return tools::Result{.text = content}; };
        model->answer = [](const llm::Request& request) {
            const std::string& last = request.messages.back()->text;
            if (last == "Comment.") return calls("read");
            if (last == "Conclude.") return says("done: " + request.messages[request.messages.size() - 2]->text);
            return calls("write", {{"text", request.instructions}});
        };
    }

    Id published()
    {
        const Id id = begin("publish@1", {.description = "Go.", .agent = "writer"});
        CHECK(rest(id).reply->text == "done: You write.");
        model->requests.clear();
        write->dispatched.clear();
        read->dispatched.clear();
        return id;
    }

    ForkReport fork(ForkTask request) { return wait(commands->fork(kAnn, std::move(request))); }
    /// Runs it to its end.
    TaskState finish(const Id& id)
    {
        wait(host->wake(id));
        return rest(id);
    }

    std::string content;
    std::shared_ptr<FakeTool> write, read;
};

Paths thinkers(const std::vector<llm::Request>& requests)
{
    Paths names;
    for (const llm::Request& request : requests) names.push_back(request.agent);
    return names;
}

/// The record that ends the effect at `path`.
std::uint32_t end_of(const std::vector<Record>& records, std::string_view path)
{
    std::uint32_t seq = 0;
    for (const Record& record : records)
        if (record.path == path) seq = record.seq;
    return seq;
}

}  // namespace

TEST_CASE("a changed prompt forks at the first step of its agent, with no model call before it")
{
    Press world;
    const Id id = world.published();
    const ForkReport report = world.fork({.from = id, .agent = "editor", .prompt = "You edit well."});
    CHECK(report.live == Paths{"think:2"});
    CHECK(report.reused == 2);
    CHECK(report.model_calls == 1);
    CHECK(world.model->requests.empty());
    CHECK(world.write->dispatched.empty());

    const TaskState state = world.finish(report.task);
    CHECK(state.status == TaskStatus::completed);
    CHECK(thinkers(world.model->requests) == Paths{"editor", "writer"});
    CHECK(world.model->requests.front().instructions == "You edit well.");
    CHECK(world.write->dispatched.empty());  // taken over
    CHECK(world.read->dispatched.size() == 1);
    CHECK(state.spec.forked_from->task == to_string(id));
    CHECK(world.wait(world.commands->replay(kAnn, report.task)).diverged == "");
    CHECK(world.wait(world.queries->verify(kAnn, report.task)).problems.empty());
    CHECK(world.state(id).spec.forked_from == std::nullopt);
}

TEST_CASE("live is contagious: a digest-equal read after a changed write is done again")
{
    Press world;
    const Id id = world.published();
    const ForkReport report = world.fork({.from = id, .agent = "writer", .prompt = "You write more."});
    CHECK(report.reused == 0);
    const TaskState state = world.finish(report.task);
    // the editor is asked the same way and reads the same way, but what it reads is not what it was
    CHECK(state.reply->text == "done: You write more.");
    CHECK(world.read->dispatched.size() == 1);
}

TEST_CASE("up to its point a fork takes everything over, also what an agent said with another prompt")
{
    Press world;
    const Id id = world.published();
    const auto records = world.records(id);
    const std::uint32_t at = end_of(records, "use:1.0");
    const ForkReport report = world.fork(
        {.from = id, .at = ForkPoint{ForkPoint::By::record, at}, .agent = "writer", .prompt = "You conclude."});
    // behind the point the editor is not affected, so its step is taken over too
    CHECK(report.live == Paths{"think:3"});
    CHECK(report.model_calls == 2);
    const TaskState state = world.finish(report.task);
    CHECK(state.status == TaskStatus::completed);
    CHECK(thinkers(world.model->requests) == Paths{"writer"});
    CHECK(world.model->requests[0].instructions == "You conclude.");
    CHECK(world.write->dispatched.empty());
    CHECK(world.read->dispatched.empty());
}

TEST_CASE("without a change, everything behind the point is done anew")
{
    Press world;
    const Id id = world.published();
    const auto records = world.records(id);
    for (const auto& [path, again] : {std::pair("think:1", 2u), {"use:1.0", 2u}, {"think:2", 1u}, {"use:2.0", 1u}}) {
        CAPTURE(path);
        world.model->requests.clear();
        const std::uint32_t at = end_of(records, path);
        const ForkReport report = world.fork({.from = id, .at = ForkPoint{ForkPoint::By::record, at}});
        CHECK(world.finish(report.task).status == TaskStatus::completed);
        CHECK(world.model->requests.size() == again);
        CHECK(report.model_calls + again == 3);
    }
    CHECK_THROWS_WITH_AS(world.fork({.from = id}), doctest::Contains("a fork needs a point"), Error);
    CHECK_THROWS_WITH_AS(world.fork({.from = id, .at = ForkPoint{ForkPoint::By::event, 999}}),
                         doctest::Contains("there is no event 999; the last is"), Error);
}

TEST_CASE("another model makes the steps behind the point live, also where they are asked the same")
{
    Press world;
    const Id id = world.published();
    const std::uint32_t at = end_of(world.records(id), "think:1");
    const ForkReport report = world.fork({.from = id, .at = ForkPoint{ForkPoint::By::record, at}, .model = "other"});
    CHECK(report.live == Paths{"think:2"});
    CHECK(world.finish(report.task).spec.model == "other");
    CHECK(world.model->requests.size() == 2);
}

TEST_CASE("calls of a fork have other idempotency keys than those of its source")
{
    Press world;
    const Id id = world.begin("publish@1", {.description = "Go.", .agent = "writer"});
    world.rest(id);
    const Id fork = world.fork({.from = id, .description = "Go on."}).task;
    world.finish(fork);
    REQUIRE(world.write->dispatched.size() == 2);
    CHECK(world.write->dispatched[0] != world.write->dispatched[1]);
}

TEST_CASE("a repeated request makes no second fork, and an id that is taken is refused")
{
    Press world;
    const Id id = world.published();
    const Id fork = new_id(world.random);
    for (int i = 0; i < 2; ++i)
        CHECK(world.fork({.id = fork, .from = id, .agent = "editor", .prompt = "You edit well."}).task == fork);
    CHECK(world.wait(world.store.tasks({})).size() == 2);
    CHECK_THROWS_WITH_AS(world.fork({.id = id, .from = fork, .description = "x"}),
                         doctest::Contains("not a fork of this one"), Error);
}

TEST_CASE("a crash while a fork is made leaves nothing that anybody sees, and the same request makes it whole")
{
    Press world;
    const Id id = world.published();
    const Id fork = new_id(world.random);
    const ForkTask request{.id = fork, .from = id, .agent = "editor", .prompt = "You edit well."};
    const Id whole = world.fork({.from = id, .agent = "editor", .prompt = "You edit well."}).task;
    // as much as had reached the disk
    const auto records = world.records(whole);
    const auto port = world.store.open_port(world.loop);
    struct Deaf final : storage::Receipt {
        void durable(std::uint32_t) noexcept override {}
        void refused(std::uint32_t, const std::exception_ptr&) noexcept override { FAIL("refused"); }
    };
    Deaf receipt;
    const auto lease = world.wait(world.store.acquire(fork, "local", 10s));
    Hash before = storage::kGenesis;
    for (std::size_t i = 0; i < 3; ++i) {
        Record record = records[i];
        record.task = fork;
        record.epoch = lease.epoch;
        storage::seal(record, before);
        before = record.hash;
        port->append(std::move(record), receipt);
    }
    CHECK(world.wait(world.store.tasks({.open_only = true})).size() == 1);  // `whole`
    CHECK(world.wait(world.host->wake_all()) == 1);
    CHECK(world.fork(request).task == fork);
    CHECK(world.records(fork).size() == records.size());
    CHECK(world.finish(fork).status == TaskStatus::completed);
    CHECK(world.wait(world.queries->verify(kAnn, fork)).problems.empty());
}

TEST_CASE("a question that was answered is not asked again; one behind the point is")
{
    World world;
    world.patterns.add({"ask@1", [](Run& run) -> Async<model::Reply> {
                            const auto first = co_await run.ask({.context = {{"question", "first?"}}});
                            run.tell(first.message);
                            co_await run.think(run.agent());
                            const auto second = co_await run.ask({.context = {{"question", "second?"}}});
                            co_return run.reply(first.message + " " + second.message);
                        }});
    world.team = team_of({});
    world.model->answer = [](const llm::Request&) { return says("so"); };
    const Id id = world.begin("ask@1", {.agent = "worker"});
    for (const char* message : {"one", "two"}) {
        CHECK(world.rest(id).status == TaskStatus::waiting);
        world.wait(world.commands->answer(kAnn, id, "", {.message = message}));
    }
    CHECK(world.rest(id).reply->text == "one two");

    // checkpoint 1 is the second question
    const ForkReport report =
        world.wait(world.commands->fork(kAnn, {.from = id, .at = ForkPoint{ForkPoint::By::checkpoint, 1}}));
    CHECK(report.live == Paths{"ask:2"});
    CHECK(world.state(report.task).questions.empty());  // the old question is not copied as an open one
    world.wait(world.host->wake(report.task));
    const TaskState waiting = world.rest(report.task);
    REQUIRE(waiting.questions.size() == 1);
    CHECK(waiting.questions[0].request.task == to_string(report.task));
    world.wait(world.commands->answer(kAnn, report.task, "", {.message = "three"}));
    CHECK(world.rest(report.task).reply->text == "one three");
    CHECK(world.wait(world.commands->replay(kAnn, report.task)).diverged == "");
}

TEST_CASE("a fork pays only for what it does itself")
{
    Press world;
    const Id id = world.published();
    const TaskState source = world.state(id);
    // enough for the one step that is live, not for the whole run
    const Budget budget{.tokens = 300, .steps = 1};
    const std::uint32_t at = end_of(world.records(id), "use:2.0");
    const ForkReport report = world.fork({.from = id, .at = ForkPoint{ForkPoint::By::record, at}, .budget = budget});
    const TaskState state = world.finish(report.task);
    CHECK(state.status == TaskStatus::completed);
    CHECK(state.steps == source.steps);
    CHECK(state.reused.steps == 2);
    CHECK(state.reused.calls == 2);
    CHECK(state.usage.input - state.reused.usage.input == 10);
    CHECK(state.budget == budget);

    const ForkReport poor = world.fork(
        {.from = id, .at = ForkPoint{ForkPoint::By::record, end_of(world.records(id), "think:1")}, .budget = budget});
    CHECK(world.finish(poor.task).error == "max_steps (1) reached");
}

TEST_CASE("what a person said before the point is heard by the fork, under its new number")
{
    Press world;
    world.model->delay = 10ms;
    const Id id = world.begin("publish@1", {.description = "Go.", .agent = "writer"});
    world.loop.settle();
    world.wait(world.commands->pause(kAnn, id));
    world.rest(id);
    world.wait(world.commands->instruct(kAnn, id, "Comment."));
    world.wait(world.commands->resume(kAnn, id));
    CHECK(world.rest(id).status == TaskStatus::completed);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
    for (const char* path : {"think:1", "think:2", "use:2.0"}) {
        CAPTURE(path);
        world.model->requests.clear();
        const std::uint32_t at = end_of(world.records(id), path);
        const ForkReport report = world.fork({.from = id, .at = ForkPoint{ForkPoint::By::record, at}});
        CHECK(world.finish(report.task).status == TaskStatus::completed);
        CHECK(world.wait(world.commands->replay(kAnn, report.task)).diverged == "");
    }
}

TEST_CASE("a fork of a fork, of a cancelled task and of one that waits goes on by itself")
{
    Press world;
    const Id id = world.published();
    const Id first = world.fork({.from = id, .agent = "editor", .prompt = "You edit well."}).task;
    CHECK(world.finish(first).status == TaskStatus::completed);
    const ForkReport second = world.fork({.from = first, .agent = "writer", .prompt = "Rewrite."});
    CHECK(world.finish(second.task).reply->text == "done: Rewrite.");

    world.model->delay = 10ms;
    const Id stopped = world.begin("publish@1", {.description = "Go.", .agent = "writer"});
    world.loop.settle();
    world.wait(world.commands->cancel(kAnn, stopped, ""));
    CHECK(world.rest(stopped).status == TaskStatus::cancelled);
    const ForkReport again =
        world.fork({.from = stopped, .at = ForkPoint{ForkPoint::By::record, world.state(stopped).end.seq}});
    CHECK(again.reused == 0);
    CHECK(world.finish(again.task).status == TaskStatus::completed);
}
