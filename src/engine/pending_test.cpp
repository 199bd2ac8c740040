// Tasks that are created and wait for somebody to start them.
#include "engine/test_world.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using model::TaskStatus;

namespace {

struct Waiting : World {
    Waiting()
    {
        patterns.add({"talk@1", [](Run& run) -> Async<model::Reply> {
                          co_return run.reply((co_await run.think(run.agent())).text);
                      }});
        model->answer = [](const llm::Request&) { return says("done"); };
    }
    CreateTask request(std::optional<Id> id = {})
    {
        return {.id = id, .team = team_of({}), .description = "talk", .pattern = "talk@1", .start = false};
    }
    Id create(std::optional<Id> id = {}) { return wait(commands->create(kAnn, request(id))); }
    std::string refusal(Async<> work)
    {
        try {
            wait(std::move(work));
        } catch (const Error& error) {
            return std::string(name_of(error.code())) + ": " + error.what() + " [" + error.hint().verb + "]";
        }
        return "";
    }
};

}  // namespace

TEST_CASE("a pending task does nothing until it is started, whatever wakes it, also over restarts")
{
    Waiting world;
    const Id id = world.create();
    CHECK(world.create(id) == id);  // the same again is the same
    for (int i = 0; i < 2; ++i) {
        world.wait(world.host->wake_all());
        world.wait(world.host->until_resting(id));
        world.restart();
    }
    CHECK(world.records(id).size() == 1);
    CHECK(world.model->requests.empty());
    CHECK(world.wait(world.queries->task(kAnn, id))->status == TaskStatus::pending);
    CHECK(world.wait(world.queries->entry(kAnn, id)).status == "pending");

    world.wait(world.commands->start(kAnn, id));
    const TaskState state = world.rest(id);
    CHECK(state.status == TaskStatus::completed);
    CHECK(state.reply->text == "done");
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
    CHECK(world.wait(world.queries->verify(kAnn, id)).problems.empty());
}

TEST_CASE("a pending task refuses what only a started one can take, and says what helps")
{
    Waiting world;
    const Id id = world.create();
    const std::string says = "conflict: task " + to_string(id) + " was not started yet; its creator has to start it []";
    CHECK(world.refusal(world.commands->resume(kAnn, id)) == says);
    CHECK(world.refusal(world.commands->continue_task(kAnn, id)) == says);
    CHECK(world.refusal(world.commands->pause(kAnn, id)) == says);
    CHECK(world.refusal(world.commands->instruct(kAnn, id, "x")) == says);
    CHECK(world.records(id).size() == 1);
}

TEST_CASE("a task is started once")
{
    Waiting world;
    const Id id = world.create();
    world.model->delay = Millis(1000);
    world.wait(world.commands->start(kAnn, id));
    const std::string says = "conflict: task " + to_string(id) + " has been started already []";
    CHECK(world.refusal(world.commands->start(kAnn, id)) == says);
    world.wait(world.host->park_at_once(id));
    CHECK(world.refusal(world.commands->start(kAnn, id)) == says);
    world.wait(world.commands->resume(kAnn, id));
    world.rest(id);
    CHECK(world.refusal(world.commands->start(kAnn, id)) == "conflict: task " + to_string(id) + " has ended []");
    // one that was never to wait
    CreateTask request = world.request();
    request.start = true;
    const Id other = world.wait(world.commands->create(kAnn, std::move(request)));
    CHECK(world.refusal(world.commands->start(kAnn, other)).find("started already") != std::string::npos);
    world.rest(other);
}

TEST_CASE("a pending task that is cancelled never begins, and says why")
{
    Waiting world;
    const Id id = world.create();
    world.restart();
    CHECK(world.wait(world.commands->cancel(kAnn, id, "not needed")));
    const TaskState state = world.rest(id);
    CHECK(state.status == TaskStatus::cancelled);
    CHECK(state.cancel_reason == "not needed");
    CHECK_FALSE(state.started_at);
    CHECK(world.model->requests.empty());
    CHECK(world.records(id).size() == 3);
    CHECK_FALSE(world.wait(world.commands->cancel(kAnn, id, "")));
    CHECK(world.refusal(world.commands->start(kAnn, id)) == "conflict: task " + to_string(id) + " has ended []");
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("a task without `started` that was not to wait has met a crash, and begins")
{
    Waiting world;
    TaskSpec spec{.description = "talk", .agent = "worker", .pattern = "talk@1"};
    const Id id = new_id(world.random);
    world.wait(world.host->pin(team_of({}), spec));
    std::vector<JournalEntry> created{{.kind = storage::RecordKind::created, .body = model::to_json_text(spec)}};
    CHECK(created.front().body.find("pending") == std::string::npos);  // journals of before stay as they are
    world.wait(world.host->write_journal(std::string(kLocalTenant), id, std::move(created)));
    world.wait(world.host->wake_all());
    CHECK(world.rest(id).status == TaskStatus::completed);
}
