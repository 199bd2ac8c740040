// What a run knows of its team and setup, what its calls say of themselves, and how it fails with words.
#include "engine/hub.hpp"
#include "engine/test_world.hpp"
#include "model/write.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using model::TaskStatus;
using storage::RecordKind;

namespace {

std::vector<boost::json::object> events_in(const std::vector<storage::Record>& records, std::string_view type)
{
    std::vector<boost::json::object> found;
    for (const auto& record : records)
        for (const std::string& json : events_of(record))
            if (auto event = boost::json::parse(json).as_object(); event.at("type").as_string() == type)
                found.push_back(std::move(event));
    return found;
}

}  // namespace

TEST_CASE("a task that fails with words keeps both, live and replayed")
{
    World world;
    world.team = team_of({});
    world.patterns.add({"sorry@1", [](Run& run) -> Async<model::Reply> {
                            throw Failed(Code::upstream, "no source answers", run.reply("Please try again later."));
                            co_return model::Reply{};
                        }});
    const TaskState state = world.rest(world.begin("sorry@1", {.agent = "worker"}));
    CHECK(state.status == TaskStatus::failed);
    CHECK(state.error == "no source answers");
    REQUIRE(state.reply);
    CHECK(state.reply->text == "Please try again later.");
    CHECK_FALSE(state.reply->ok);
    CHECK(state.reply->error == "no source answers");
    CHECK(world.wait(world.commands->replay(kAnn, state.id)).diverged == "");
}

TEST_CASE("a pattern sees its team and its setup, as they were when the task was made")
{
    World world;
    world.team = team_of({});
    world.team->version = "2.1.0";
    world.patterns.add({"look@1", [](Run& run) -> Async<model::Reply> {
                            const auto graph = run.setup<model::Tool>();
                            co_await run.ask({.context = {{"question", "Go?"}}});
                            co_return run.reply(run.team().name + " " + run.team().version + " " + graph.name);
                        }});
    TaskSpec spec{.agent = "worker"};
    const model::Tool document{.name = "pinned", .description = "A document."};
    world.wait(world.host->teams().pin_setup(model::to_json_text(document), spec));
    const Id id = world.begin("look@1", spec);
    CHECK(world.rest(id).status == TaskStatus::waiting);
    world.team->version = "3.0.0";
    world.restart();
    world.wait(world.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve}));
    CHECK(world.rest(id).reply->text == "team 2.1.0 pinned");

    const auto started = events_in(world.records(id), "event_task_start");
    REQUIRE(started.size() == 1);
    const auto& team = started[0].at("team_config").as_object();
    CHECK(team.at("name") == "team");
    CHECK(team.at("version") == "2.1.0");
    CHECK(team.at("agents") == boost::json::array{"worker"});
    CHECK(team.at("hash").as_string() == world.state(id).spec.config);

    const TaskState without = world.rest(world.begin("look@1", {.agent = "worker"}));
    CHECK(without.error == "the task is pinned to no setup; its pattern needs one");
}

TEST_CASE("a call says when it began and ended, and why it failed, the same in a replay; its limit may be milliseconds")
{
    World world;
    const auto slow = world.add_tool("slow", model::Effect::pure);
    slow->takes = 200ms;
    world.team = team_of({"slow"});
    world.patterns.add({"time@1", [](Run& run) -> Async<model::Reply> {
                            std::string text;
                            for (const Millis limit : {300ms, 50ms}) {
                                const auto replies = co_await run.use(
                                    run.agent(), {model::ToolCall{.id = "c", .tool_name = "slow"}}, {.limit = limit});
                                const ToolReply& reply = replies.at(0);
                                text += std::to_string((reply.ended_at - reply.started_at).count()) + reply.code + " ";
                            }
                            const auto refused =
                                co_await run.use(run.agent(), {model::ToolCall{.id = "c", .tool_name = "other"}});
                            text += std::to_string((refused.at(0).ended_at - refused.at(0).started_at).count());
                            co_await run.ask({.context = {{"question", "Go?"}}});
                            co_return run.reply(text);
                        }});
    const Id id = world.begin("time@1", {.agent = "worker"});
    world.rest(id);
    world.wait(sleep_for(5000ms));
    world.restart();
    world.wait(world.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve}));
    CHECK(world.rest(id).reply->text == "200 50timeout 0");
}

TEST_CASE("step by step, each tool call is a step of its own")  // CKPT-19 U
{
    World world;
    const auto tool = world.add_tool("press", model::Effect::once);
    world.team = team_of({"press"});
    world.patterns.add({"press@1", [](Run& run) -> Async<model::Reply> {
                            model::ToolCall call{.id = "c", .tool_name = "press"};
                            co_await run.use(run.agent(), {call, call, call});
                            co_return run.reply("pressed");
                        }});
    const Id id = world.begin("press@1", {.agent = "worker", .mode = model::ExecutionMode::step});
    for (std::size_t pressed = 0; pressed < 3; ++pressed) {
        CHECK(world.rest(id).pause_reason == model::PauseReason::step_mode);
        CHECK(world.state(id).pause_text == "before the call of press");
        CHECK(tool->dispatched.size() == pressed);
        if (pressed == 1) world.restart();
        world.wait(world.commands->resume(kAnn, id, 1));
    }
    CHECK(world.rest(id).status == TaskStatus::completed);
    CHECK(tool->dispatched.size() == 3);
}

TEST_CASE("who watches a task is told what happened behind its end too")
{
    World world;
    world.patterns.add({"any@1", [](Run& run) -> Async<model::Reply> { co_return run.reply("x"); }});
    const Id id = new_id(world.random);
    const model::Reply reply{.text = "done"};
    std::vector<JournalEntry> entries{
        {.kind = RecordKind::created, .body = model::to_json_text(TaskSpec{.pattern = "any@1"})},
        {.kind = RecordKind::started, .body = R"({"prompt":"Go.","mode":"autonomous"})", .events = 1},
        {.kind = RecordKind::completed,
         .body = R"({"steps":0,"ms":1,"reply":)" + model::to_json_text(reply) + "}",
         .events = 1}};
    for (int i = 0; i < 600; ++i)
        entries.push_back({.kind = RecordKind::instruction, .body = R"({"text":"late","by":"ann"})", .events = 1});
    world.wait(world.host->write_journal("local", id, std::move(entries)));
    const auto watched = world.wait(world.commands->watch(kAnn, id, 0));
    int events = 0;
    while (world.wait(watched->next())) ++events;
    CHECK(events == 602);
}
