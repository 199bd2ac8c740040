// What a real run leaves in the journal, held against the descriptions of the model.
#include "base/json.hpp"
#include "engine/events.hpp"
#include "engine/test_world.hpp"
#include "model/calls.hpp"
#include "model/catalogue.hpp"
#include "model/event.hpp"
#include "model/json_schema.hpp"
#include "model/read.hpp"
#include "model/views/domains.hpp"
#include "patterns/patterns.hpp"
#include "schema/schema.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;

namespace {

/// Two equal calls at once, one that fails, the first one again, and the answer; paused and resumed between them.
std::vector<json::value> recorded_events()
{
    World world;
    patterns::add_patterns(world.patterns);
    world.team = team_of({"calculator"});
    world.model->delay = std::chrono::seconds(1);  // time to pause it
    int turn = 0;
    world.model->answer = [&](const llm::Request&) {
        auto same = calls("calculator", {{"expression", "2+3"}});
        switch (++turn) {
        case 1: same.calls.push_back(same.calls[0]); return same;
        case 2: return calls("calculator", {{"expression", "1/0"}});
        case 3: return same;
        default: return says("5");
        }
    };
    const Id id = world.begin("react@1", {.description = "What is 2+3?", .agent = "worker"});
    world.wait(world.commands->pause(kAnn, id));
    world.rest(id);
    world.wait(world.commands->resume(kAnn, id));
    CHECK(world.rest(id).status == model::TaskStatus::completed);
    std::vector<json::value> events;
    for (const auto& record : world.records(id))
        for (const std::string& text : events_of(record)) events.push_back(parse_json(text));
    return events;
}

}  // namespace

TEST_CASE("each event of a recorded run is as the schema of its type says, and as no other's")  // EVT-37 U
{
    std::vector<std::pair<const model::Entity*, schema::Schema>> types;
    for (const model::Entity* entity : model::catalogue())
        if (entity->tag.starts_with("event_"))
            types.emplace_back(entity, schema::Schema::compile(model::json_schema(*entity)));
    REQUIRE(types.size() == 30);
    std::set<std::string> seen;
    for (const json::value& event : recorded_events()) {
        CAPTURE(to_text(event));
        seen.emplace(event.at("type").as_string());
        for (const auto& [entity, schema] : types) {
            CAPTURE(entity->name);
            CHECK(schema.accepts(event) == (event.at("type").as_string() == entity->tag));
        }
    }
    for (const char* type : {"event_task_start", "event_task_paused", "event_task_resumed", "event_agent_start",
                             "event_tool_call", "event_tool_result", "event_agent_complete", "event_task_complete"}) {
        CAPTURE(type);
        CHECK(seen.contains(type));
    }
}

TEST_CASE("the tool_id of each call is unique in a run, for equal calls too")  // TOOL-37 U
{
    std::set<std::string> ids;
    std::size_t count = 0;
    for (const json::value& recorded : recorded_events()) {
        const auto event = model::from_json<model::Event>(recorded);
        const auto* called = std::get_if<model::ToolCallEvent>(&event);
        if (!called) continue;
        ++count;
        const model::Call call{.id = model::uuid_of(called->tool_call.id), .tool = called->tool_call.tool_name};
        ids.insert(model::domains::view(call).tool_id);
    }
    CHECK(count == 4);
    CHECK(ids.size() == count);
}
