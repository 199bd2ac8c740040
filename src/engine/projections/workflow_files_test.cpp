// What the folder of a task has of a workflow's nodes.
#include "engine/projections/test_home.hpp"
#include "model/node_result.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;

namespace {

Async<model::NodeResult> draft(Run& run)
{
    run.tell(run.prompt());
    const Step step = co_await run.think(run.agent());
    model::NodeResult result{
        .work = {.said = {{.by = "worker", .text = step.text}},
                 .update = {{"current_agent", "worker"},
                            {"routing_key", "press"},
                            {"metadata", boost::json::object{{"notes", boost::json::array{"b"}}}}}},
        .next = {"publish"}};
    result.state = {{"next_action", nullptr},
                    {"current_agent", "worker"},
                    {"routing_key", "press"},
                    {"metadata", boost::json::object{{"topic", "tea"}, {"notes", boost::json::array{"a", "b"}}}}};
    co_return result;
}

Async<model::NodeResult> publish(Run& run)
{
    Question question{.agent = "worker"};
    question.context["question"] = "Publish?";
    co_await run.ask(std::move(question));
    co_return model::NodeResult{.work = {.update = {{"metadata", boost::json::object{{"done", true}}}}},
                                .after = {"draft"}};
}

Async<model::Reply> workflow(Run& run)
{
    co_await run.node("draft", draft);
    co_await run.node("publish", publish);
    co_return run.reply("Published.");
}

Async<model::NodeResult> talkative(Run& run)
{
    run.tell(run.prompt());
    const Step step = co_await run.think(run.agent());
    co_return model::NodeResult{.work = {.said = {{.by = "worker", .text = step.text}}}};
}

constexpr int kNodes = 60;

Async<model::Reply> long_workflow(Run& run)
{
    for (int i = 0; i < kNodes; ++i) co_await run.node("n" + std::to_string(i), talkative);
    co_return run.reply("Enough.");
}

}  // namespace

TEST_CASE("every node of a workflow leaves a checkpoint, which is document 000's")  // CKPT-04 F, CKPT-05 F
{
    Home home;
    home.patterns.add({"graph@7", workflow});
    home.script({says("Tea.")});
    const Id id = home.begin("graph@7", about("Write."));
    home.settle(id);

    const auto first = home.read_as<model::framework::Checkpoint>(id, "checkpoint_000.json");
    CHECK(first.position == "draft");
    CHECK_FALSE(first.awaiting_human);
    CHECK(first.state.routing_key == "press");
    CHECK(first.state.current_agent == "worker");
    CHECK(first.state.metadata == boost::json::object{{"topic", "tea"}, {"notes", boost::json::array{"a", "b"}}});
    CHECK(first.state.messages.back().content == "Tea.");
    CHECK(first.ext.at("changed") == boost::json::array{"notes", "routing_key"});

    auto second = home.read_as<model::framework::Checkpoint>(id, "checkpoint_001.json");
    CHECK(second.position == "publish");
    CHECK(second.awaiting_human);
    CHECK(second.state.metadata == first.state.metadata);

    home.wait(home.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve}));
    home.settle(id);
    const auto third = home.read_as<model::framework::Checkpoint>(id, "checkpoint_002.json");
    CHECK(third.position == "publish");
    CHECK(third.state.metadata.at("done") == true);
    CHECK(third.state.metadata.at("topic") == "tea");
    CHECK(home.read_as<model::framework::Task>(id, layout::kTask).result == "Published.");
}

TEST_CASE("checkpoints of a long workflow do not each hold all that was said")
{
    Home home;
    home.patterns.add({"graph@8", long_workflow});
    home.model->answer = [](const llm::Request&) { return says(std::string(20'000, 'x')); };
    const Id id = home.begin("graph@8", about("Talk."));
    home.settle(id);

    std::size_t all = 0;
    for (const auto& [name, text] : home.files(id))
        if (name.starts_with("checkpoint_")) all += text.size();
    CHECK(all > (3 << 20));
    CHECK(all < (9 << 20));  // each whole: 36 MB
    const auto last = home.read_as<model::framework::Checkpoint>(id, "checkpoint_059.json");
    const std::string base(last.ext.at("base").as_string());
    const auto whole = home.read_as<model::framework::Checkpoint>(id, base);
    CHECK_FALSE(whole.ext.contains("base"));
    CHECK(whole.state.messages.size() + last.state.messages.size() == kNodes + 1);
}
