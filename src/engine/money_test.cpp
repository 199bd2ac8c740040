#include "engine/spent.hpp"
#include "engine/test_world.hpp"

#include <doctest/doctest.h>

#include <numeric>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using model::TaskStatus;

namespace {

/// A vendor with prices that bills a call when it comes in, whatever becomes of the one who asked. Its answers are as long as they may be.
class Vendor final : public llm::Model {
public:
    std::string spec() const override { return "vendor/dear"; }
    std::optional<llm::Prices> prices() const override { return llm::Prices{.input = 1e-5, .output = 1e-4}; }
    std::optional<std::int64_t> most_output() const override { return 1000; }
    Async<llm::Completion> complete(llm::Request request, llm::ChunkSink&) override
    {
        const llm::Usage usage{.input = most_input(request),
                               .output = request.options.max_tokens.value_or(1000),
                               .cost = static_cast<double>(most_input(request)) * 1e-5 +
                                       static_cast<double>(request.options.max_tokens.value_or(1000)) * 1e-4};
        billed += usage.cost;
        tokens += usage.input + usage.output;
        ++calls;
        co_await sleep_for(Millis(10 + calls % 7));
        co_return llm::Completion{.text = "as long as it may be", .usage = usage};
    }

    double billed = 0;
    std::int64_t tokens = 0;
    int calls = 0;
};

struct Shop : World {
    Shop()
    {
        team = team_of({});
        patterns.add({"wide@1", [](Run& run) -> Async<model::Reply> {
                          std::vector<int> items(64);
                          std::iota(items.begin(), items.end(), 0);
                          co_await run.map(std::move(items), [](Run& branch, int number) -> Async<int> {
                              for (int i = 0; i < 3; ++i) {
                                  branch.tell("Branch " + std::to_string(number));
                                  co_await branch.think(branch.agent());
                              }
                              co_return number;
                          });
                          co_return run.reply("all");
                      }});
        patterns.add({"leaf@1", [](Run& run) -> Async<model::Reply> {
                          for (int i = 0; i < 2; ++i) {
                              run.tell(run.prompt());
                              co_await run.think(run.agent());
                          }
                          co_return run.reply("done");
                      }});
        patterns.add({"team@1", [](Run& run) -> Async<model::Reply> {
                          co_return co_await hand_on(run, run.input().at("children").to_number<int>(), "leaf@1");
                      }});
        patterns.add({"teams@1", [](Run& run) -> Async<model::Reply> { return hand_on(run, 4, "team@1"); }});
        env->models = [this](const model::LlmConfig&, const Id&, const std::string&) { return vendor; };
        restart();
    }

    static Async<model::Reply> hand_on(Run& run, int children, std::string pattern)
    {
        std::vector<std::string> items(static_cast<std::size_t>(children), pattern);
        co_await run.map(std::move(items), [](Run& branch, std::string how) -> Async<int> {
            DelegateOptions options{.pattern = std::move(how), .input = {{"children", 16}}};
            co_await branch.delegate(branch.agent(), "Do it.", std::move(options));
            co_return 0;
        });
        co_return run.reply("all");
    }

    /// So many processes after each other live that long.
    void live(int processes, Millis life)
    {
        for (int i = 0; i < processes; ++i) {
            wait(sleep_for(life));
            restart();
            wait(host->wake_all());
        }
    }
    int unfinished() { return static_cast<int>(wait(store.tasks({.open_only = true, .limit = SIZE_MAX})).size()); }

    std::shared_ptr<Vendor> vendor = std::make_shared<Vendor>();
};

}  // namespace

TEST_CASE("64 branches and two restarts never spend more than the budget, whenever they come")  // P16
{
    for (const double budget : {2.5, 6.6, 10.0, 13.0})
        for (const Millis life : {1ms, 5ms, 12ms, 15ms, 40ms}) {
            CAPTURE(budget);
            CAPTURE(life.count());
            Shop shop;
            const Id id = shop.begin("wide@1", {.agent = "worker", .budget = {.cost = budget}});
            for (int i = 0; i < 2; ++i) {
                shop.wait(sleep_for(life));  // in the middle of calls
                shop.restart();
                shop.wait(shop.host->wake(id));
            }
            const TaskState state = shop.rest(id);
            CHECK(state.status == TaskStatus::paused);
            CHECK(state.pause_reason == model::PauseReason::budget);
            CHECK(shop.vendor->billed <= budget + 1e-9);
            CHECK(shop.vendor->billed > budget / 4);  // what was under way at a restart counts twice at most
        }
}

TEST_CASE("structure case 5: 64 delegated tasks and two restarts never spend more than their root's budget, and all "
          "end when it is "
          "raised")  // P16
{
    struct {
        const char* pattern;
        int tasks;
    } const shapes[] = {{"team@1", 65}, {"teams@1", 69}};  // side by side, and in four teams
    for (const auto& shape : shapes)
        for (const double budget : {0.1, 2.5, 6.6})
            for (const Millis life : {0ms, 1ms, 5ms, 12ms, 15ms, 40ms}) {
                CAPTURE(shape.pattern);
                CAPTURE(budget);
                CAPTURE(life.count());
                Shop shop;
                const TaskSpec spec{.agent = "worker", .budget = {.cost = budget}, .input = {{"children", 64}}};
                const Id id = shop.begin(shape.pattern, spec);
                shop.live(2, life);
                const TaskState state = shop.rest(id);
                CHECK(state.status == TaskStatus::paused);
                CHECK(state.pause_reason == model::PauseReason::budget);
                CHECK(state.pause_text.find("is used up") != std::string::npos);
                CHECK(shop.vendor->billed <= budget + 1e-9);

                shop.wait(shop.commands->raise_budget(kAnn, id, {.cost = 1000}));
                shop.wait(shop.commands->resume(kAnn, id));
                CHECK(shop.rest(id).status == TaskStatus::completed);
                CHECK(shop.unfinished() == 0);
                CHECK(shop.wait(shop.store.tasks({.limit = SIZE_MAX})).size() == static_cast<std::size_t>(shape.tasks));
            }
}

TEST_CASE("what a delegated task has spent stands in its parent's journal and counts after a restart")  // P16
{
    Shop shop;
    shop.patterns.add({"twice@1", [](Run& run) -> Async<model::Reply> {
                           DelegateOptions options{.pattern = "leaf@1"};
                           co_await run.delegate(run.agent(), "First.", options);
                           co_await run.ask({.context = {{"question", "Another?"}}});
                           co_await run.delegate(run.agent(), "Second.", options);
                           co_return run.reply("both");
                       }});
    const Id id = shop.begin("twice@1", {.agent = "worker", .budget = {.steps = 3}});
    CHECK(shop.rest(id).status == TaskStatus::waiting);
    const auto records = shop.records(id);
    const Spending spent = spent_in(records, fold(records));
    CHECK(spent.steps == 2);
    CHECK(spent.cost == doctest::Approx(shop.vendor->billed));
    CHECK(records.back().kind == storage::RecordKind::intent);

    shop.restart();
    shop.wait(shop.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve}));
    const TaskState state = shop.rest(id);  // one model call is left, the second task needs two
    CHECK(state.status == TaskStatus::failed);
    CHECK(state.error.find("max_steps (3) reached") != std::string::npos);
    CHECK(shop.vendor->calls == 3);
}

TEST_CASE("at most 32 tasks are delegated at once, and the others get their turn, also after a restart")
{
    for (const Millis life : {0ms, 5ms, 30ms}) {
        CAPTURE(life.count());
        Shop shop;
        const Id id = shop.begin("team@1", {.agent = "worker", .input = {{"children", 70}}});
        shop.wait(sleep_for(1ms));
        CHECK(shop.state(id).children.size() == kMaxChildren);
        shop.live(1, life);
        CHECK(shop.rest(id).status == TaskStatus::completed);
        CHECK(shop.vendor->calls >= 140);
        CHECK(shop.wait(shop.commands->replay(kAnn, id)).diverged == "");
    }
}

TEST_CASE("the failure of a delegated task is a value where that is asked for, live and replayed")
{
    World world;
    world.team = team_of({});
    world.patterns.add({"fails@1", [](Run&) -> Async<model::Reply> {
                            throw Error(Code::upstream, "the line is dead");
                            co_return model::Reply{};
                        }});
    world.patterns.add({"tries@1", [](Run& run) -> Async<model::Reply> {
                            DelegateReply reply =
                                co_await run.try_delegate(run.agent(), "Do it.", {.pattern = "fails@1"});
                            std::string text = reply.failure ? reply.failure->what() : "it worked";
                            reply = co_await run.try_delegate(run.agent(), "Do it.", {.pattern = "missing@1"});
                            text += reply.failure ? std::string("; ") + reply.failure->what() : "";
                            co_return run.reply(text);
                        }});
    const Id id = world.begin("tries@1", {.agent = "worker"});
    const TaskState state = world.rest(id);
    REQUIRE(state.status == TaskStatus::completed);
    CHECK(state.reply->text.find("failed: the line is dead; ") != std::string::npos);
    CHECK(state.reply->text.find("there is no pattern called \"missing@1\"") != std::string::npos);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("tokens are bounded like money")  // P16
{
    for (const Millis life : {1ms, 5ms, 15ms}) {
        CAPTURE(life.count());
        Shop shop;
        const Id id = shop.begin("wide@1", {.agent = "worker", .budget = {.tokens = 20'000}});
        for (int i = 0; i < 2; ++i) {
            shop.wait(sleep_for(life));
            shop.restart();
            shop.wait(shop.host->wake(id));
        }
        CHECK(shop.rest(id).pause_reason == model::PauseReason::budget);
        CHECK(shop.vendor->tokens <= 20'000);
        CHECK(shop.vendor->calls > 4);
    }
}

TEST_CASE("with enough money nothing is held back")
{
    Shop shop;
    const Id id = shop.begin("wide@1", {.agent = "worker", .budget = {.cost = 100}});
    CHECK(shop.rest(id).status == TaskStatus::completed);
    CHECK(shop.vendor->calls == 192);
}

TEST_CASE("a budget in dollars needs a price")
{
    class Unpriced final : public llm::Model {
    public:
        std::string spec() const override { return "vendor/secretive"; }
        bool is_priced() const override { return false; }
        Async<llm::Completion> complete(llm::Request, llm::ChunkSink&) override { co_return says("hello"); }
    };
    Shop shop;
    shop.env->models = [](const model::LlmConfig&, const Id&, const std::string&) {
        return std::make_shared<Unpriced>();
    };
    shop.restart();
    const TaskState state = shop.rest(shop.begin("wide@1", {.agent = "worker", .budget = {.cost = 1}}));
    CHECK(state.status == TaskStatus::failed);
    CHECK(state.error.find("no price is known for vendor/secretive") != std::string::npos);
    CHECK(shop.rest(shop.begin("wide@1", {.agent = "worker"})).status == TaskStatus::completed);
}

TEST_CASE("when a model does not work, those that stand in for it are asked in turn, and the journal says who answered")
{
    class Vendors final : public llm::Model {
    public:
        explicit Vendors(std::string name) : name_(std::move(name)) {}
        std::string spec() const override { return name_; }
        Async<llm::Completion> complete(llm::Request, llm::ChunkSink& sink) override
        {
            if (name_ == "a/first") throw llm::ModelError(Code::upstream, "first is down", true);
            if (name_ == "b/second") throw llm::ModelError(Code::unauthorized, "second knows no such key", false);
            sink.chunk("third");
            llm::Completion completion = says("third");
            completion.model = name_;
            co_return completion;
        }

    private:
        std::string name_;
    };
    World world;
    std::vector<std::string> asked;
    world.team = team_of({});
    world.team->agents[0].llm_config = model::LlmConfig{
        .provider = "a", .model = "first", .base_url = "http://a", .fallback = {"b/second", "c/third"}};
    world.team->agents[0].llm_config->retry_policy = {{"max_retries", 1}};
    world.env->models = [&](const model::LlmConfig& config, const Id&, const std::string&) {
        asked.push_back(model_spec(config));
        return std::make_shared<Vendors>(model_spec(config));
    };
    world.patterns.add({"once@1", [](Run& run) -> Async<model::Reply> {
                            run.tell("Go.");
                            co_return run.reply((co_await run.think(run.agent())).text);
                        }});
    world.restart();
    const TaskState state = world.rest(world.begin("once@1", {.agent = "worker"}));
    CHECK(state.status == TaskStatus::completed);
    CHECK(state.reply->text == "third");
    CHECK(asked == std::vector<std::string>{"a/first", "a/first", "b/second", "c/third"});
    const auto records = world.records(state.id);
    CHECK(std::ranges::count(records, storage::RecordKind::attempt_failed, &storage::Record::kind) == 3);
    CHECK(world.wait(world.commands->replay(kAnn, state.id)).diverged == "");
}
