#include "model/event.hpp"

#include "base/json.hpp"
#include "model/chunk.hpp"
#include "support/entity.hpp"
#include "support/error_of.hpp"
#include "support/golden_list.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;

TEST_CASE("the 30 events are read and written to the letter")  // EVT-37 U
{
    static_assert(std::variant_size_v<Event> == 30);
    std::set<std::string_view> types;
    for (const Event& event : read_golden_list<Event>("model/004_events.json")) {
        types.insert(type_of(event));
        CHECK(time_of(event) == time_from_iso("2025-11-02T10:30:00Z"));
    }
    CHECK(types.size() == 30);
}

TEST_CASE("an event has exactly its keys: each is missed, and no other is taken")  // EVT-37 U
{
    const json::value document = parse_json(golden("model/004_fields.json"));
    const json::value events = parse_json(golden("model/004_events.json"));
    for (const json::value& event : events.as_array()) {
        CAPTURE(to_text(event));
        json::object more = event.as_object();
        more["zzz"] = 1;
        CHECK(error_of([&] { from_json<Event>(more); }) == doctest::Contains("zzz: is not a field of "));

        const Event read = from_json<Event>(event);
        const Entity& entity = std::visit([](const auto& body) -> const Entity& { return describe(&body); }, read);
        const json::object& fields = document.at(entity.name).at("fields").as_object();
        CHECK(fields.size() + 1 == event.as_object().size());
        for (const auto& member : event.as_object()) {
            const std::string key(member.key());
            CAPTURE(key);
            json::object less = event.as_object();
            less.erase(key);
            const auto* words = fields.if_contains(key);
            if (key == "type" || words->as_object().contains("required")) {
                CHECK(error_of([&] { from_json<Event>(less); }) == ("invalid: " + key + ": is required").c_str());
            } else {  // what may be left out is written all the same
                const json::value written = parse_json(to_json_text(from_json<Event>(less)));
                CHECK(written.as_object().size() == event.as_object().size());
                CHECK(written.at(key) == words->at("default"));
            }
        }
    }
}

TEST_CASE("words of events that the document lists are the only ones")  // EVT-37 U
{
    struct {
        const char* type;
        const char* field;
        const char* says;
    } const cases[] = {
        {"event_task_complete", "final_status", "none of success, error, cancelled"},
        {"event_task_paused", "reason", "none of step_mode, breakpoint, user_request, hitl_intervention"},
        {"event_agent_handoff", "handoff_type", "none of sequential, parallel, hierarchical"},
        {"event_hitl_request", "request_type", "none of approval, feedback, escalation"},
        {"event_hitl_response", "response_type", "none of approved, rejected, modified, timeout"},
        {"event_guardrail_violation", "action_taken", "none of blocked, warned, logged"},
        {"event_guardrail_policy_update", "update_type", "none of created, modified, deleted"},
        {"event_user_intervention", "intervention_type",
         "none of instruction, plan_update, agent_override, team_modification"},
        {"event_health_check", "status", "none of healthy, degraded, unhealthy"},
    };
    const json::value events = parse_json(golden("model/004_events.json"));
    for (const auto& c : cases) {
        CAPTURE(c.type);
        json::object changed;
        for (const json::value& event : events.as_array())
            if (event.at("type") == c.type) changed = event.as_object();
        changed[c.field] = "zzz";
        CHECK(error_of([&] { from_json<Event>(changed); }) == doctest::Contains(c.says));
    }
}

TEST_CASE("times are read with any offset or none, and written as UTC")  // SER-02 U
{
    for (const char* given :
         {"2025-11-02T10:30:00Z", "2025-11-02T12:30:00+02:00", "2025-11-02T10:30:00", "2025-11-02 10:30:00.000000"}) {
        CAPTURE(given);
        json::object event = parse_json(description_of<TaskResumedEvent>().example).as_object();
        event["timestamp"] = given;
        CHECK(to_json_text(from_json<Event>(event)).find(R"("timestamp":"2025-11-02T10:30:00Z")") != std::string::npos);
    }
}

TEST_CASE("words of events that the document leaves open are taken as they come")
{
    CHECK(problems_with<MemoryStoreEvent>("memory_type", R"("procedural")") == "");
    CHECK(problems_with<GuardrailViolationEvent>("severity", R"("annoying")") == "");
    CHECK(problems_with<TaskStartEvent>("execution_mode", R"("replay")") == "");
}

TEST_CASE("a chunk is read and written to the letter, its time is now if none is given")
{
    read_golden_list<StreamChunk>("model/004_stream_chunks.json");
    const auto chunk = from_text<StreamChunk>(R"({"step_id":"s","agent_name":"a","text":""})");
    CHECK_FALSE(chunk.is_final);
    CHECK_FALSE(chunk.token_count.has_value());
    CHECK(chunk.timestamp > time_from_iso("2025-01-01T00:00:00Z"));
    CHECK(problems_with<StreamChunk>("type", R"("chunk")") == "type: must be \"content_chunk\"");
}
