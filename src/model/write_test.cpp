#include "model/write.hpp"

#include "base/json.hpp"
#include "model/event.hpp"
#include "model/llm.hpp"
#include "model/read.hpp"
#include "support/error_of.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;

TEST_CASE("a value of any type is read, written and checked like an entity")
{
    const auto text =
        R"([{"type":"text","text":"x","language":null,"confidence":null},)"
        R"({"type":"image","image_url":"data:,","alt_text":null,"dimensions":{"width":1},"format":null}])";
    const auto parts = from_text<std::vector<Part>>(text);
    CHECK(parts.size() == 2);
    CHECK(to_json_text(parts) == text);
    CHECK(problems_of(parts).empty());
    CHECK(error_of([] { from_text<std::vector<Part>>(R"([{"type":"text"},{"type":"image","image_url":""}])"); }) ==
          "invalid: [0].text: is required\n[1].image_url: must not be empty");
    CHECK(problems_of(std::vector<Part>{ImagePart{}}).text() == "[0].image_url: must not be empty");
}

TEST_CASE("free JSON inside an entity is written as it was read")
{
    const auto free = R"({"b":[1,-2,18446744073709551615,2.0,0.1,true,null,"\u0001ä\"",[],{}],"a":{"z":{},"y":[[]]}})";
    const auto part =
        from_text<MemoryPart>(std::string(R"({"operation":"store","references":[],"content":)") + free + "}");
    CHECK(to_json_text(part) ==
          std::string(R"({"type":"memory","operation":"store","references":[],"content":)") + free + "}");
}

TEST_CASE("members are read in any order")
{
    const auto event = from_text<Event>(
        R"({"timestamp":"2025-11-02T10:30:00Z","memory_stored":1,"step_id":"s","type":"event_agent_complete","agent_name":"a"})");
    const auto& complete = std::get<AgentCompleteEvent>(event);
    CHECK(complete.step_id == "s");
    CHECK(complete.memory_stored == 1);
    CHECK(complete.token_count == std::nullopt);
}

TEST_CASE("a text larger than the space that is kept for small ones is read too")
{
    std::string words;
    for (int i = 0; i < 5000; ++i) words += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\"";
    const auto event = from_text<Event>(
        R"({"type":"event_parallel_start","timestamp":"2025-11-02T10:30:00Z","agents":[)" + words + "]}");
    CHECK(std::get<ParallelExecutionStartEvent>(event).agents.at(4999) == "4999");
}

TEST_CASE("a value that is built is the value that is written")
{
    const auto part = from_text<MemoryPart>(
        R"({"operation":"store","references":[],"content":{"b":[1,-2,18446744073709551615,0.5,true,null,"ä",[],{}]}})");
    CHECK(to_json_value(part) == parse_json(to_json_text(part)));
    const Event event = AgentStartEvent{.agent_name = "a", .step_id = "s"};
    CHECK(to_json_value(event) == parse_json(to_json_text(event)));
    CHECK(to_json_value(std::vector<std::string>{}) == parse_json("[]"));
}
