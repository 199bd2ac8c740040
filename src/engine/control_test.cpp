#include "engine/numbered_event.hpp"
#include "engine/test_world.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using model::PauseReason;
using model::TaskStatus;
using storage::RecordKind;

namespace {

/// Thinks `input.turns` times, the model saying "n".
Async<model::Reply> think_often(Run& run)
{
    run.tell(run.prompt());
    std::string said;
    const auto turns = run.input().at("turns").to_number<int>();
    for (int i = 0; i < turns; ++i) said = (co_await run.think(run.agent())).text;
    co_return run.reply(said);
}

TaskSpec turns(int count)
{
    return {.description = "Think.", .agent = "worker", .input = {{"turns", count}}};
}

struct Thinker : World {
    Thinker()
    {
        patterns.add({"often@1", think_often});
        team = team_of({});
        model->delay = 10ms;
        model->answer = [this](const llm::Request&) { return says(std::to_string(model->requests.size())); };
    }
};

std::size_t count(const std::vector<storage::Record>& records, RecordKind kind)
{
    return static_cast<std::size_t>(std::ranges::count(records, kind, &storage::Record::kind));
}

}  // namespace

TEST_CASE("a pause stops at the next effect, survives a restart, and goes on when told")
{
    Thinker world;
    const Id id = world.begin("often@1", turns(3));
    world.loop.settle();
    world.wait(world.commands->pause(kAnn, id));
    TaskState state = world.rest(id);
    CHECK(state.status == TaskStatus::paused);
    CHECK(state.pause_reason == PauseReason::user_request);
    CHECK(world.model->requests.size() == 1);

    world.restart();
    CHECK_THROWS_WITH_AS(world.wait(world.commands->pause(kAnn, id)), doctest::Contains("paused already"), Error);
    world.wait(world.commands->resume(kAnn, id));
    state = world.rest(id);
    CHECK(state.status == TaskStatus::completed);
    CHECK(world.model->requests.size() == 3);
    CHECK(state.reply->text == "3");
}

TEST_CASE("step mode stops before every model call that was not allowed")
{
    Thinker world;
    TaskSpec spec = turns(2);
    spec.mode = model::ExecutionMode::step;
    const Id id = world.begin("often@1", spec);
    CHECK(world.rest(id).pause_reason == PauseReason::step_mode);
    for (std::size_t step = 1; step <= 2; ++step) {
        world.wait(world.commands->resume(kAnn, id, 1));
        const TaskState state = world.rest(id);
        CHECK(world.model->requests.size() == step);
        CHECK(state.status == (step == 1 ? TaskStatus::paused : TaskStatus::completed));
    }
}

TEST_CASE("a breakpoint stops once at its place")
{
    Thinker world;
    TaskSpec spec = turns(1);
    spec.breakpoints = {"agent:worker"};
    const Id id = world.begin("often@1", spec);
    TaskState state = world.rest(id);
    CHECK(state.pause_reason == PauseReason::breakpoint);
    CHECK(world.model->requests.empty());
    world.restart();
    world.wait(world.commands->resume(kAnn, id));
    CHECK(world.rest(id).status == TaskStatus::completed);
}

TEST_CASE("an instruction that comes while the run is paused is in its next request, and in the replay too")
{
    Thinker world;
    const Id id = world.begin("often@1", turns(2));
    world.loop.settle();
    world.wait(world.commands->pause(kAnn, id));
    world.rest(id);
    world.wait(world.commands->instruct(kAnn, id, "use British spelling"));
    world.wait(world.commands->resume(kAnn, id));
    CHECK(world.rest(id).status == TaskStatus::completed);
    REQUIRE(world.model->requests.size() == 2);
    CHECK(world.model->requests[1].messages.back()->text == "use British spelling");
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("running out of steps fails, running out of tokens pauses until the budget is raised")
{
    Thinker world;
    TaskSpec few_steps = turns(3);
    few_steps.budget.steps = 2;
    const Id failed = world.begin("often@1", few_steps);
    TaskState state = world.rest(failed);
    CHECK(state.status == TaskStatus::failed);
    CHECK(state.error == "max_steps (2) reached");
    CHECK(world.model->requests.size() == 2);

    TaskSpec few_tokens = turns(3);
    few_tokens.budget.tokens = 20;
    const Id paused = world.begin("often@1", few_tokens);
    state = world.rest(paused);
    CHECK(state.pause_reason == PauseReason::budget);
    CHECK(state.usage.input + state.usage.output <= 30);
    world.restart();
    world.wait(world.commands->raise_budget(kAnn, paused, {.tokens = 1000}));
    world.wait(world.commands->resume(kAnn, paused));
    CHECK(world.rest(paused).status == TaskStatus::completed);
}

TEST_CASE("a run that is out of time fails, and time in which it waited for a person does not count")
{
    Thinker world;
    TaskSpec spec = turns(3);
    spec.budget.wall_ms = 15;
    const TaskState failed = world.rest(world.begin("often@1", spec));
    CHECK(failed.error == "time (15 ms) is used up");
    CHECK(failed.completed_at.value() - failed.started_at.value() == 15ms);  // in the middle of a call

    spec.budget.wall_ms = 0;
    const std::size_t before = world.model->requests.size();
    CHECK(world.rest(world.begin("often@1", spec)).error == "time (0 ms) is used up");
    CHECK(world.model->requests.size() == before);

    spec.budget.wall_ms = 40;
    const Id id = world.begin("often@1", spec);
    world.loop.settle();
    world.wait(world.commands->pause(kAnn, id));
    world.rest(id);
    world.loop.manual_clock().advance(1h);
    world.wait(world.commands->resume(kAnn, id));
    CHECK(world.rest(id).status == TaskStatus::completed);
}

TEST_CASE("money that a call may cost is reserved: by the dearest so far, and nothing starts when none is left")
{
    Thinker world;
    world.model->answer = [](const llm::Request&) {
        llm::Completion completion = says("on");
        completion.usage.cost = 0.01;
        return completion;
    };
    TaskSpec spec = turns(10);
    spec.budget.cost = 0.035;
    TaskState state = world.rest(world.begin("often@1", spec));
    CHECK(state.pause_reason == PauseReason::budget);
    CHECK(state.usage.cost == doctest::Approx(0.03));
    spec.budget.cost = 0;
    state = world.rest(world.begin("often@1", spec));
    CHECK(state.pause_reason == PauseReason::budget);
    CHECK(state.usage.cost == 0);
}

TEST_CASE("a task that needs what this process has not is left as it is, and can be cancelled")
{
    Thinker world;
    world.team = team_of({"gone"});
    world.add_tool("gone", model::Effect::pure);
    TaskSpec spec = turns(2);
    spec.agent = "worker";
    const Id id = world.begin("often@1", spec);
    world.crash();
    const std::size_t before = world.records(id).size();

    tools::Registry empty;
    Env poorer = *world.env;
    Env without{.loop = world.loop,
                .pool = world.pool,
                .random = world.random,
                .store = world.store,
                .tools = empty,
                .models = poorer.models,
                .workspace = poorer.workspace,
                .log = poorer.log};
    Host host(without, world.patterns);
    CHECK_THROWS_WITH_AS(world.wait(host.wake(id)), doctest::Contains("needs the tool gone"), Error);
    CHECK(world.records(id).size() == before);
    without.models = [](const model::LlmConfig&, const Id&, const std::string&) -> std::shared_ptr<llm::Model> {
        throw Error(Code::unavailable, "no model");
    };
    CHECK(world.wait(host.cancel(id, "ann", "")));
    world.wait(host.until_resting(id));
    CHECK(world.state(id).status == TaskStatus::cancelled);
}

TEST_CASE("a long sleep is put away and wakes by itself, after a restart too")
{
    World world;
    world.patterns.add({"nap@1", [](Run& run) -> Async<model::Reply> {
                            co_await run.sleep(1h);
                            co_return run.reply("awake");
                        }});
    const Id id = world.begin("nap@1");
    world.loop.settle();
    CHECK(world.host->active() == 0);
    world.restart();
    world.wait(world.host->wake(id));
    const Time before = world.loop.clock().now();
    const TaskState state = world.rest(id);
    CHECK(state.status == TaskStatus::completed);
    CHECK(world.loop.clock().now() - before >= 59min);
}

TEST_CASE("a question that nobody answers in time is answered by its timeout, once")
{
    World world;
    world.patterns.add({"ask@1", [](Run& run) -> Async<model::Reply> {
                            const auto answer = co_await run.ask({.context = {{"question", "?"}}, .timeout = 60s});
                            co_return run.reply(answer.verb == model::HumanVerb::timeout ? "late" : "answered");
                        }});
    const Id id = world.begin("ask@1");
    CHECK(world.rest(id).status == TaskStatus::waiting);
    world.crash();
    world.loop.manual_clock().advance(90s);
    world.start();
    world.wait(world.host->wake_all());
    const TaskState state = world.rest(id);
    CHECK(state.status == TaskStatus::completed);
    CHECK(state.reply->text == "late");
    CHECK(count(world.records(id), RecordKind::answer) == 1);

    // who comes after the time is over hears so, though nobody ran meanwhile
    const Id other = world.begin("ask@1");
    CHECK(world.rest(other).status == TaskStatus::waiting);
    world.crash();
    world.loop.manual_clock().advance(90s);
    world.start();
    CHECK_THROWS_WITH_AS(world.wait(world.commands->answer(kAnn, other, "", {.verb = model::HumanVerb::approve})),
                         doctest::Contains("already answered: timeout: no answer came in time"), Error);
    CHECK(world.rest(other).reply->text == "late");
    CHECK(count(world.records(other), RecordKind::answer) == 1);
}

TEST_CASE("what leaves a model that fails for a moment is tried again, each attempt with its intent")
{
    Thinker world;
    int failures = 2;
    world.model->answer = [&](const llm::Request&) -> llm::Completion {
        if (failures-- > 0) throw llm::ModelError(Code::rate_limited, "too many", true, Millis{500});
        return says("ok");
    };
    const Id id = world.begin("often@1", turns(1));
    CHECK(world.rest(id).status == TaskStatus::completed);
    const auto records = world.records(id);
    CHECK(count(records, RecordKind::intent) == 3);
    CHECK(count(records, RecordKind::attempt_failed) == 2);
}

TEST_CASE("a watcher sees every event once and in order, from any number, with chunks between them")
{
    Thinker world;
    const Id id = world.begin("often@1", turns(2));
    const auto all = world.wait(world.commands->watch(kAnn, id, 0));
    std::vector<std::uint32_t> numbers;
    std::string text;
    const auto watch = [&](Subscription& subscription) -> Async<> {
        while (auto seen = co_await subscription.next()) {
            if (const auto* event = std::get_if<EventPtr>(&*seen)) numbers.push_back((*event)->number);
            if (const auto* chunk = std::get_if<model::StreamChunk>(&*seen)) text += chunk->text;
        }
    };
    world.wait(watch(*all));
    CHECK(numbers == std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6});
    CHECK(text == "12");

    numbers.clear();
    const auto later = world.wait(world.commands->watch(kAnn, id, 4));
    world.wait(watch(*later));
    CHECK(numbers == std::vector<std::uint32_t>{5, 6});
}

TEST_CASE("who comes in the middle of an answer gets all of its text")
{
    class Writer final : public llm::Model {
    public:
        std::string spec() const override { return "writer"; }
        Async<llm::Completion> complete(llm::Request, llm::ChunkSink& sink) override
        {
            for (const char* word : {"one ", "two ", "three"}) {
                sink.chunk(word);
                co_await sleep_for(100ms);
            }
            co_return says("one two three");
        }
    };
    Thinker world;
    world.env->models = [](const model::LlmConfig&, const Id&, const std::string&) {
        return std::make_shared<Writer>();
    };
    world.restart();
    const Id id = world.begin("often@1", turns(1));
    world.wait(sleep_for(150ms));
    const auto late = world.wait(world.commands->watch(kAnn, id, 0));
    std::string order;
    const auto watch = [&]() -> Async<> {
        while (auto seen = co_await late->next()) {
            if (std::get_if<EventPtr>(&*seen)) order += '#';
            if (const auto* chunk = std::get_if<model::StreamChunk>(&*seen)) order += chunk->text;
        }
    };
    world.wait(watch());
    CHECK(order == "##one two three##");
}

TEST_CASE("every record stands for as many public events as its number says, and live state equals the folded one")
{
    Thinker world;
    const Id id = world.begin("often@1", turns(2));
    world.rest(id);
    std::uint32_t before = 0;
    for (const auto& record : world.records(id)) {
        CAPTURE(record.seq);
        CHECK(events_of(record).size() == record.event_seq - before);
        before = record.event_seq;
    }
}

TEST_CASE("draining puts everything away and loses nothing")
{
    Thinker world;
    const Id id = world.begin("often@1", turns(3));
    world.loop.settle();
    world.wait(world.host->drain());
    CHECK(world.host->active() == 0);
    CHECK(world.state(id).status == TaskStatus::running);
    CHECK(world.model->requests.size() == 1);
    world.restart();
    world.wait(world.commands->resume(kAnn, id));
    CHECK(world.rest(id).status == TaskStatus::completed);
    CHECK(world.model->requests.size() == 3);
}

TEST_CASE("closing stops what is under way, and the run goes on later as if nothing had been said")
{
    Thinker world;
    const Id id = world.begin("often@1", turns(1));
    world.loop.settle();
    world.wait(world.host->close());
    CHECK(count(world.records(id), RecordKind::outcome) == 0);
    world.restart();
    world.wait(world.host->wake(id));
    CHECK(world.rest(id).status == TaskStatus::completed);
}
