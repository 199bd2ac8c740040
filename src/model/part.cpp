#include "model/part.hpp"

#include "model/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::model {

namespace {

/// A picture or recording is data, a link, or a file of the workspace; a file anywhere else is nobody's to name.
void check_link(std::string_view link, std::string_view name, const Path& path, Problems& problems)
{
    if (link.starts_with("file:") && !is_workspace_uri(link))
        problems.add(Path(path, name), "must stay inside the workspace, like file://artifacts/media/chart.png");
}

std::string link_schema(std::string_view name)
{
    return fmt::format(R"({{"properties":{{"{}":{{"anyOf":[{{"not":{{"pattern":"^file:"}}}},{}]}}}}}})", name,
                       workspace_uri_schema());
}

/// What check_guardrail() wants.
constexpr const char* kWorstSchema = R"({
    "if":{"properties":{"checks":{"contains":{"properties":{"status":{"const":"failed"}}}}}},
    "then":{"properties":{"overall_status":{"const":"failed"}}},
    "else":{"if":{"properties":{"checks":{"contains":{"properties":{"status":{"const":"warning"}}}}}},
            "then":{"properties":{"overall_status":{"const":"warning"}}},
            "else":{"properties":{"overall_status":{"const":"passed"}}}}})";

void check_guardrail(const GuardrailPart& part, const Path& path, Problems& problems)
{
    if (part.overall_status != worst_of(part.checks))
        problems.add(Path(path, "overall_status"), "must be the worst status of the checks");
}

}  // namespace

CheckStatus worst_of(std::span<const GuardrailCheck> checks)
{
    auto any = [&](CheckStatus status) {
        return std::ranges::any_of(checks, [=](const GuardrailCheck& check) { return check.status == status; });
    };
    if (any(CheckStatus::failed)) return CheckStatus::failed;
    return any(CheckStatus::warning) ? CheckStatus::warning : CheckStatus::passed;
}

std::span<const EnumName> names_of(const MemoryOperation*)
{
    static constexpr EnumName names[] = {{int(MemoryOperation::store), "store"},
                                         {int(MemoryOperation::retrieve), "retrieve"},
                                         {int(MemoryOperation::search), "search"},
                                         {int(MemoryOperation::consolidate), "consolidate"}};
    return names;
}

const Entity& describe(const TextPart*)
{
    static const Entity entity{.name = "text_part",
                               .doc = "Text of an agent or a person.",
                               .fields = {field("text", &TextPart::text, "The text.", {.required = true}),
                                          field("language", &TextPart::language, "Its language, as a code like `en`."),
                                          field("confidence", &TextPart::confidence, "How sure the model was.")},
                               .tag = "text",
                               .example =
                                   R"({"type":"text","text":"The report is done.","language":"en","confidence":0.93})"};
    return entity;
}

const Entity& describe(const ToolCallPart*)
{
    static const Entity entity{
        .name = "tool_call_part",
        .doc = "An agent's request to call a tool.",
        .fields = {field("tool_call", &ToolCallPart::tool_call, "The call.", {.required = true})},
        .tag = "tool_call",
        .example = R"({"type":"tool_call","tool_call":{"id":"tc_0b9d7e5c3a1f4e8db6c4a29f8e7d6c5b","tool_name":"search",
"args":{"query":"durable agents","limit":5},"expected_output_type":"json","timeout":20,
"retry_policy":{"max_retries":2}}})"};
    return entity;
}

const Entity& describe(const ToolResultPart*)
{
    static const Entity entity{
        .name = "tool_result_part",
        .doc = "What a tool answered.",
        .fields = {field("tool_result", &ToolResultPart::tool_result, "The answer.", {.required = true})},
        .tag = "tool_result",
        .example = R"({"type":"tool_result","tool_result":{"tool_call_id":"tc_0b9d7e5c3a1f4e8db6c4a29f8e7d6c5b",
"result":"[\"a\",\"b\"]","error":"one source did not answer","artifacts":["artifacts/data/hits.json"],
"execution_time_ms":412,"resource_usage":{"cpu_ms":31,"memory_bytes":1048576},"exit_code":0}})"};
    return entity;
}

const Entity& describe(const ArtifactPart*)
{
    static const Entity entity{
        .name = "artifact_part",
        .doc = "A file of the workspace, by reference, so that the history stays light.",
        .fields = {field("artifact", &ArtifactPart::artifact, "The file.", {.required = true})},
        .tag = "artifact",
        .example = R"({"type":"artifact","artifact":{"uri":"file://artifacts/code/main.py","mime_type":"text/x-python",
"size_bytes":1832,"description":"The program.","version":"2",
"checksum":"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
"metadata":{"lines":60},"created_by":"coder","tags":["code","python"]}})"};
    return entity;
}

const Entity& describe(const ImagePart*)
{
    static const Entity entity{
        .name = "image_part",
        .doc = "A picture.",
        .fields = {field("image_url", &ImagePart::image_url, "A data URL or the URI of an artifact.",
                         {.required = true, .min_length = 1}),
                   field("alt_text", &ImagePart::alt_text, "What it shows, in words."),
                   field("dimensions", &ImagePart::dimensions, "Its `width` and `height` in pixels."),
                   field("format", &ImagePart::format, "png, jpg or another.")},
        .tag = "image",
        .checks = {check<ImagePart>(
            {"image_url"}, "A `file:` link leads to a file inside of the workspace.",
            [](const ImagePart& part, const Path& path, Problems& problems) {
                check_link(part.image_url, "image_url", path, problems);
            },
            link_schema("image_url"))},
        .example = R"({"type":"image","image_url":"file://artifacts/media/chart.png","alt_text":"Sales by month.",
"dimensions":{"width":800,"height":600},"format":"png"})"};
    return entity;
}

const Entity& describe(const AudioPart*)
{
    static const Entity entity{
        .name = "audio_part",
        .doc = "A recording.",
        .fields = {field("audio_url", &AudioPart::audio_url, "A data URL or the URI of an artifact.",
                         {.required = true, .min_length = 1}),
                   field("transcript", &AudioPart::transcript, "What is said in it."),
                   field("duration_seconds", &AudioPart::duration_seconds, "How long it is.", {.min = 0}),
                   field("format", &AudioPart::format, "mp3, wav or another."),
                   field("sample_rate", &AudioPart::sample_rate, "Samples a second.", {.min = 1})},
        .tag = "audio",
        .checks = {check<AudioPart>(
            {"audio_url"}, "A `file:` link leads to a file inside of the workspace.",
            [](const AudioPart& part, const Path& path, Problems& problems) {
                check_link(part.audio_url, "audio_url", path, problems);
            },
            link_schema("audio_url"))},
        .example = R"({"type":"audio","audio_url":"file://artifacts/media/call.wav","transcript":"Good morning.",
"duration_seconds":1.5,"format":"wav","sample_rate":16000})"};
    return entity;
}

const Entity& describe(const MemoryPart*)
{
    static const Entity entity{
        .name = "memory_part",
        .doc = "What was done with the memory.",
        .fields = {field("operation", &MemoryPart::operation, "What was done.", {.required = true}),
                   field("references", &MemoryPart::references, "The items it was done with.", {.required = true}),
                   field("content", &MemoryPart::content, "What was stored, or looked for.")},
        .tag = "memory",
        .example = R"({"type":"memory","operation":"search","references":[{"memory_id":"mem_1","memory_type":"semantic",
"relevance_score":0.82,"retrieval_query":"deadlines"},{"memory_id":"mem_1","memory_type":"episodic",
"relevance_score":null,"retrieval_query":null}],"content":{"query":"deadlines"}})"};
    return entity;
}

const Entity& describe(const GuardrailPart*)
{
    static const Entity entity{
        .name = "guardrail_part",
        .doc = "The checks that were made on something that came in or went out.",
        .fields = {field("checks", &GuardrailPart::checks, "Each check.", {.required = true}),
                   field("overall_status", &GuardrailPart::overall_status, "The worst status of the checks.",
                         {.required = true})},
        .tag = "guardrail",
        .checks = {check<GuardrailPart>({"checks", "overall_status"},
                                        "`overall_status` is the worst status of the checks.", check_guardrail,
                                        kWorstSchema)},
        .example =
            R"({"type":"guardrail","checks":[{"check_id":"chk_1","check_type":"content_filter","status":"warning",
"message":"A phone number was found.","policy_violated":"no_pii","severity":"high"},{"check_id":"chk_2",
"check_type":"policy","status":"passed","message":null,"policy_violated":null,"severity":null}],
"overall_status":"warning"})"};
    return entity;
}

}  // namespace cadre::model
