#include "model/part.hpp"

#include "base/id.hpp"
#include "support/entity.hpp"
#include "support/error_of.hpp"
#include "support/golden_list.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;

TEST_CASE("the eight parts are read and written to the letter")  // STEP-09 U, STEP-14 U, STEP-15 U, STEP-16 U
{
    const auto parts = read_golden_list<Part>("model/004_parts.json");
    std::set<std::size_t> kinds;
    for (const Part& part : parts) kinds.insert(part.index());
    CHECK(kinds.size() == std::variant_size_v<Part>);
}

TEST_CASE("pictures and recordings keep all that is known of them")  // STEP-27 U, STEP-28 U
{
    const auto image = from_text<ImagePart>(description_of<ImagePart>().example);
    CHECK(image.image_url == "file://artifacts/media/chart.png");
    CHECK(*image.dimensions->find("width") == 800);
    CHECK(image.format == "png");
    CHECK(to_json_text(image) == to_text(parse_json(description_of<ImagePart>().example)));

    const auto audio = from_text<AudioPart>(description_of<AudioPart>().example);
    CHECK(audio.duration_seconds == 1.5);
    CHECK(audio.sample_rate == 16000);
    CHECK(to_json_text(audio) == to_text(parse_json(description_of<AudioPart>().example)));
}

TEST_CASE("what parts hold is read and written to the letter")  // STEP-21 U
{
    read_golden_list<ToolCall>("model/004_tool_call.json");
    read_golden_list<ToolResult>("model/004_tool_result.json");
    read_golden_list<MemoryReference>("model/004_memory_reference.json");
    read_golden_list<GuardrailCheck>("model/004_guardrail_check.json");
    const auto artifacts = read_golden_list<Artifact>("model/004_artifact.json");
    CHECK(artifacts[0].description == "The program.");
}

TEST_CASE("a part of a type that nobody knows is refused")  // STEP-09 U
{
    CHECK(error_of([] { from_text<Part>(R"({"type":"vidoe","text":"x"})"); }) == "invalid: type: \"vidoe\" is unknown");
    CHECK(error_of([] { from_text<Part>(R"({"type":"txt","text":"x"})"); }) ==
          "invalid: type: \"txt\" is unknown, did you mean \"text\"?");
    CHECK(error_of([] { from_text<Part>(R"({"text":"x"})"); }) == "invalid: type: is required");
}

TEST_CASE("a part that is read as itself needs no type, and takes no other")  // STEP-14 U
{
    CHECK(from_text<TextPart>(R"({"text":"x"})") == TextPart{.text = "x"});
    CHECK(error_of([] { from_text<TextPart>(R"({"type":"image","text":"x"})"); }) == "invalid: type: must be \"text\"");
}

TEST_CASE("a tool call is given an id, and needs a tool and arguments")  // TOOL-24 U, TOOL-25 U, TOOL-26 U
{
    const auto call = from_text<ToolCall>(R"({"tool_name":"search","args":{}})");
    CHECK(find_prefixed_id("tc_", call.id).has_value());
    CHECK(call.id.size() == 3 + 32);
    CHECK(call.id != from_text<ToolCall>(R"({"tool_name":"search","args":{}})").id);
    CHECK_FALSE(call.expected_output_type.has_value());
    CHECK_FALSE(call.timeout.has_value());
    CHECK_FALSE(call.retry_policy.has_value());
    CHECK(problems_without<ToolCall>("tool_name") == "tool_name: is required");
    CHECK(problems_without<ToolCall>("args") == "args: is required");
    CHECK(problems_with<ToolCall>("args", "[]") == "args: must be an object, is a list");
    CHECK(from_text<ToolCall>(R"({"id":"call_abc","tool_name":"search","args":{}})").id == "call_abc");
}

TEST_CASE("an artifact is a path inside the workspace")  // STEP-18 U
{
    for (const char* good : {"file://artifacts/main.py", "file://artifacts/a b/..c", "file://x", "file://a/%41.txt"}) {
        CAPTURE(good);
        CHECK(is_workspace_uri(good));
    }
    for (const char* bad :
         {"", "file://", "file:///etc/passwd", "file://../x", "file://artifacts/../../x", "file://artifacts/..",
          "file://artifacts/%2e%2e/%2E%2e/x", "file://%2fetc/passwd", "file://a/%00", "file://a%2", "file://a/%zz",
          "file://a\\..\\..\\x", "file://./x", "artifacts/main.py", "https://example.org/x", "FILE://x"}) {
        CAPTURE(bad);
        CHECK_FALSE(is_workspace_uri(bad));
    }
    CHECK(problems_with<Artifact>("uri", R"("file://../secrets")") ==
          "uri: must be a path inside the workspace, like file://artifacts/main.py");
    CHECK(problems_with<ImagePart>("image_url", R"("file:///etc/passwd")") ==
          "image_url: must stay inside the workspace, like file://artifacts/media/chart.png");
    CHECK(problems_with<AudioPart>("audio_url", R"("file://../x")") ==
          "audio_url: must stay inside the workspace, like file://artifacts/media/chart.png");
}

TEST_CASE("fields that may be left out have the document's defaults")  // STEP-24 U, GUARD-04 U
{
    CHECK(default_of<Artifact>("metadata") == "{}");
    CHECK(default_of<Artifact>("tags") == "[]");
    CHECK(default_of<GuardrailCheck>("message") == "null");
    CHECK(default_of<GuardrailCheck>("policy_violated") == "null");
    CHECK(default_of<ToolResult>("artifacts") == "[]");
}

TEST_CASE("fields that are needed are asked for")  // STEP-19 U, GUARD-01 U, MEM-01 U
{
    CHECK(problems_without<Artifact>("uri") == "uri: is required");
    CHECK(problems_without<Artifact>("mime_type") == "mime_type: is required");
    CHECK(problems_without<GuardrailCheck>("check_id") == "check_id: is required");
    CHECK(problems_without<MemoryReference>("memory_id") == "memory_id: is required");
    CHECK(problems_without<ToolResult>("tool_call_id") == "tool_call_id: is required");
}

TEST_CASE("words that the document lists are the only ones")  // STEP-29 U, GUARD-02 U, GUARD-03 U, GUARD-05 U, MEM-02 U
{
    CHECK(problems_with<MemoryPart>("operation", R"("forget")") ==
          "operation: \"forget\" is none of store, retrieve, search, consolidate");
    CHECK(problems_with<GuardrailCheck>("check_type", R"("compliance")") ==
          "check_type: \"compliance\" is none of input_validation, content_filter, rate_limit, policy");
    CHECK(problems_with<GuardrailCheck>("status", R"("pass")") ==
          "status: \"pass\" is none of passed, failed, warning, did you mean \"passed\"?");
    CHECK(problems_with<GuardrailCheck>("severity", R"("fatal")") ==
          "severity: \"fatal\" is none of low, medium, high, critical");
    CHECK(problems_with<MemoryReference>("memory_type", R"("working")") ==
          "memory_type: \"working\" is none of short_term, long_term, semantic, episodic");
}

TEST_CASE("a guardrail part is as bad as its worst check")  // STEP-30 U
{
    const GuardrailCheck passed{.check_id = "a"}, warned{.check_id = "b", .status = CheckStatus::warning},
        failed{.check_id = "c", .status = CheckStatus::failed};
    struct {
        std::vector<GuardrailCheck> checks;
        CheckStatus worst;
    } const cases[] = {
        {{}, CheckStatus::passed},
        {{passed, passed}, CheckStatus::passed},
        {{warned, passed}, CheckStatus::warning},
        {{passed, failed, warned}, CheckStatus::failed},
    };
    for (const auto& c : cases) {
        CHECK(worst_of(c.checks) == c.worst);
        for (const auto status : {CheckStatus::passed, CheckStatus::warning, CheckStatus::failed}) {
            const Problems problems = problems_of(GuardrailPart{.checks = c.checks, .overall_status = status});
            CHECK(problems.empty() == (status == c.worst));
        }
    }
    CHECK(problems_with<GuardrailPart>("overall_status", R"("passed")") ==
          "overall_status: must be the worst status of the checks");
}
