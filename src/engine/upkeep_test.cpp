#include "engine/upkeep.hpp"

#include "engine/numbered_event.hpp"
#include "engine/test_world.hpp"
#include "model/write.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using model::TaskStatus;

namespace {

struct House : World {
    House()
    {
        team = team_of({});
        patterns.add({"wait@1", [](Run& run) -> Async<model::Reply> {
                          co_await run.ask({.context = {{"question", "Go?"}}});
                          co_await run.sleep(Millis(1000));
                          co_return run.reply("done");
                      }});
    }
    Upkept upload(Id id, const std::string& content)
    {
        Upkeep upkeep{.what = "upload"};
        upkeep.artifact = SavedVersion{.path = "x.txt", .sha256 = content, .size = 1, .mime_type = "text/plain"};
        return wait(commands->upkeep(kAnn, id, std::move(upkeep)));
    }
    std::vector<std::string> watched(Id id)
    {
        std::vector<std::string> types;
        const auto watching = wait(commands->watch(kAnn, id, 0));
        while (const auto seen = wait(watching->next()))
            if (const auto* event = std::get_if<EventPtr>(&*seen))
                types.emplace_back(boost::json::parse(model::to_json_text((*event)->event)).at("type").as_string());
        return types;
    }
};

}  // namespace

TEST_CASE("upkeep: a task that is parked, at work or has ended takes it, and its stream shows it")
{
    House house;
    const Id id = house.begin("wait@1", {.agent = "worker"});
    house.rest(id);
    CHECK(house.upload(id, "1").artifact->artifact.version == 1);  // parked
    house.wait(house.commands->answer(kAnn, id, "", {}));
    CHECK(house.upload(id, "2").artifact->artifact.version == 2);  // at work
    CHECK(house.rest(id).status == TaskStatus::completed);
    const auto before = house.records(id).size();
    const Upkept third = house.upload(id, "3");
    CHECK(third.artifact->artifact.version == 3);
    CHECK(third.seq == before + 1);
    const Upkept same = house.upload(id, "3");  // nothing happened
    CHECK(same.seq == 0);
    CHECK(same.artifact->change == ArtifactChange::unchanged);

    house.restart();
    const TaskState state = house.state(id);
    CHECK(state.status == TaskStatus::completed);
    CHECK(state.reply->text == "done");
    CHECK(state.artifacts.at("x.txt").version == 3);
    CHECK(house.wait(house.queries->task(kAnn, id))->artifacts.at("x.txt").sha256 == "3");
    CHECK(house.wait(house.queries->verify(kAnn, id)).problems.empty());
    CHECK(house.wait(house.commands->replay(kAnn, id)).diverged == "");
    const auto types = house.watched(id);
    CHECK(types.back() == "event_artifact_versioned");
    CHECK(types.size() == house.records(id).back().event_seq);
    CHECK(house.records(id).back().body.find(R"("by":"ann")") != std::string::npos);
    CHECK_FALSE(house.wait(house.queries->entry(kAnn, id)).open);
}

TEST_CASE("upkeep: what it says beside files is told as it was said, and a task that is not there refuses it")
{
    House house;
    const Id id = house.begin("wait@1", {.agent = "worker"});
    house.rest(id);
    Upkeep forget{.what = "forget", .detail = {{"items", 3}}};
    forget.events = {model::MemoryConsolidateEvent{.topic = "plums", .items_consolidated = 3}};
    const Upkept upkept = house.wait(house.host->upkeep(id, std::move(forget)));
    const auto records = house.records(id);
    REQUIRE(records.back().seq == upkept.seq);
    const auto events = events_of(records.back());
    REQUIRE(events.size() == 1);
    CHECK(events[0].find("plums") != std::string::npos);
    CHECK(house.rest(id).status == TaskStatus::waiting);
    CHECK_THROWS_AS(house.upload(new_id(house.random), "1"), Error);
    const Principal stranger{.tenant = "other", .subject = "bob"};
    CHECK_THROWS_AS(house.wait(house.commands->upkeep(stranger, id, {.what = "upload"})), Error);
}
