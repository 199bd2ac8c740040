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
        env->models = [this](const model::LlmConfig&, const Id&, const std::string&) { return vendor; };
        restart();
    }
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
    CHECK(state.error.find("nobody knows what vendor/secretive costs") != std::string::npos);
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
