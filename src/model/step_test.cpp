#include "model/step.hpp"

#include "base/id.hpp"
#include "support/entity.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;

namespace {

Step calling(std::string id, std::string call)
{
    return {.id = std::move(id),
            .task = "t",
            .agent = "writer",
            .parts = {ToolCallPart{.tool_call = {.id = std::move(call), .tool_name = "search"}}}};
}
Step answering(std::string id, std::string call)
{
    return {.id = std::move(id),
            .task = "t",
            .agent = "tool_executor",
            .role = Role::tool,
            .parts = {ToolResultPart{.tool_result = {.tool_call_id = std::move(call)}}}};
}

}  // namespace

TEST_CASE("a step has one part or more")  // STEP-11 U
{
    CHECK(problems_with<Step>("parts", "[]") == "parts: must not be empty");
    CHECK(problems_without<Step>("parts") == "parts: is required");
}

TEST_CASE("in a history every result comes after its call, every child after its parent")  // TOOL-29 U
{
    Step child = calling("c", "tc_2");
    child.parent = "a";
    CHECK(broken_references(std::vector{calling("a", "tc_1"), answering("b", "tc_1"), child}).empty());

    child.parent = "z";
    CHECK(broken_references(std::vector{answering("a", "tc_1"), calling("b", "tc_1"), child, child}).text() ==
          "[0].parts[0].tool_call_id: \"tc_1\" is not an earlier call\n"
          "[2].parent: \"z\" is not an earlier step\n"
          "[3].parent: \"z\" is not an earlier step\n"
          "[3].id: \"c\" is here twice");
}

TEST_CASE("ids of steps and calls are UUIDs in another dress, both ways")  // UNI-10 U
{
    const auto step = from_text<Step>(
        R"({"task":"t","seq":0,"agent":"a","parts":[{"type":"tool_call","tool_call":{"tool_name":"x","args":{}}}]})");
    const Id id = id_from_prefixed("step_", step.id);
    CHECK(to_prefixed("step_", id_from(to_string(id))) == step.id);
    const std::string& call = std::get<ToolCallPart>(step.parts[0]).tool_call.id;
    CHECK(to_prefixed("tc_", id_from(to_string(id_from_prefixed("tc_", call)))) == call);
}
