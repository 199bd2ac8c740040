// What parts hold: calls, results, artifacts, memory items and checks. Events hold them too.
#include "model/describe.hpp"
#include "model/part.hpp"

#include <fmt/format.h>

#include <charconv>

namespace cadre::model {

namespace {

/// Percent escapes read; nothing when one is broken.
std::optional<std::string> unescaped(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        unsigned byte = 0;
        const auto* digits = text.data() + i + 1;
        if (i + 2 >= text.size() || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2)
            return std::nullopt;
        out += static_cast<char>(byte);
        i += 2;
    }
    return out;
}

}  // namespace

bool is_workspace_uri(std::string_view uri)
{
    constexpr std::string_view kScheme = "file://";
    if (!uri.starts_with(kScheme)) return false;
    const auto path = unescaped(uri.substr(kScheme.size()));
    if (!path || path->empty() || path->front() == '/') return false;
    for (const char c : *path)
        if (static_cast<unsigned char>(c) < 0x20 || c == '\\') return false;
    // a segment of dots alone leads out, or nowhere
    for (std::string_view rest = *path; !rest.empty();) {
        const auto end = std::min(rest.find('/'), rest.size());
        const auto segment = rest.substr(0, end);
        if (segment == "." || segment == "..") return false;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return true;
}

std::string_view workspace_uri_schema()
{
    // characters and escapes that a path may hold; then, what would make it begin at the root or climb
    return R"json({"pattern":"^file://([^%\\\\\\u0000-\\u001f]|%([2-46-9a-fA-F][0-9a-fA-F]|5[0-9abd-fABD-F]))+$",
        "not":{"pattern":"^file://(/|%2[fF])|(^file://|/|%2[fF])(\\.|%2[eE]){1,2}(/|%2[fF]|$)"}})json";
}

std::span<const EnumName> names_of(const MemoryType*)
{
    static constexpr EnumName names[] = {{int(MemoryType::short_term), "short_term"},
                                         {int(MemoryType::long_term), "long_term"},
                                         {int(MemoryType::semantic), "semantic"},
                                         {int(MemoryType::episodic), "episodic"}};
    return names;
}

std::span<const EnumName> names_of(const CheckType*)
{
    static constexpr EnumName names[] = {{int(CheckType::input_validation), "input_validation"},
                                         {int(CheckType::content_filter), "content_filter"},
                                         {int(CheckType::rate_limit), "rate_limit"},
                                         {int(CheckType::policy), "policy"}};
    return names;
}

std::span<const EnumName> names_of(const CheckStatus*)
{
    static constexpr EnumName names[] = {{int(CheckStatus::passed), "passed"},
                                         {int(CheckStatus::failed), "failed"},
                                         {int(CheckStatus::warning), "warning"}};
    return names;
}

std::span<const EnumName> names_of(const Severity*)
{
    static constexpr EnumName names[] = {{int(Severity::low), "low"},
                                         {int(Severity::medium), "medium"},
                                         {int(Severity::high), "high"},
                                         {int(Severity::critical), "critical"}};
    return names;
}

const Entity& describe(const ToolCall*)
{
    static const Entity entity{
        .name = "tool_call",
        .doc = "A request to call a tool.",
        .fields =
            {field("id", &ToolCall::id, "`tc_` and 32 hex digits; an id that another program made is kept as it came.",
                   {.min_length = 1, .fill = Fill::call_id}),
             field("tool_name", &ToolCall::tool_name, "Which tool.", {.required = true, .min_length = 1}),
             field("args", &ToolCall::args, "Its arguments, as the tool's input schema says.", {.required = true}),
             field("expected_output_type", &ToolCall::expected_output_type, "What the agent hopes to get."),
             field("timeout", &ToolCall::timeout, "Seconds this call may take; null: as the tool says.", {.min = 1}),
             field("retry_policy", &ToolCall::retry_policy, "Retries of this call; null: as the tool says.")},
        .example = R"({"id":"tc_0b9d7e5c3a1f4e8db6c4a29f8e7d6c5b","tool_name":"search","args":{"query":"durable agents",
"limit":5},"expected_output_type":"json","timeout":20,"retry_policy":{"max_retries":2}})"};
    return entity;
}

const Entity& describe(const ToolResult*)
{
    static const Entity entity{
        .name = "tool_result",
        .doc = "What a tool answered to a call.",
        .fields = {field("tool_call_id", &ToolResult::tool_call_id, "The call it answers.",
                         {.required = true, .min_length = 1}),
                   field("result", &ToolResult::result, "Its output: text as it is, other JSON as compact text.",
                         {.required = true}),
                   field("error", &ToolResult::error, "Why it failed; what a command wrote to stderr."),
                   field("artifacts", &ToolResult::artifacts, "Paths of the files it made."),
                   field("execution_time_ms", &ToolResult::execution_time_ms, "How long it took.", {.min = 0}),
                   field("resource_usage", &ToolResult::resource_usage, "CPU, memory and the like."),
                   field("exit_code", &ToolResult::exit_code, "Of a command; null when it did not end by itself.")},
        .example = R"({"tool_call_id":"tc_0b9d7e5c3a1f4e8db6c4a29f8e7d6c5b","result":"[\"a\",\"b\"]",
"error":"one source did not answer","artifacts":["artifacts/data/hits.json"],"execution_time_ms":412,
"resource_usage":{"cpu_ms":31,"memory_bytes":1048576},"exit_code":0})"};
    return entity;
}

const Entity& describe(const Artifact*)
{
    static const Entity entity{
        .name = "artifact",
        .doc = "A file that the task made, by reference.",
        .fields = {field("uri", &Artifact::uri, "`file://` and its path in the workspace.", {.required = true}),
                   field("mime_type", &Artifact::mime_type, "Its media type.", {.required = true, .min_length = 1}),
                   field("size_bytes", &Artifact::size_bytes, "Its size.", {.min = 0}),
                   field("description", &Artifact::description, "What it is."),
                   field("version", &Artifact::version, "Grows each time it is written."),
                   field("checksum", &Artifact::checksum, "For telling whether it was changed."),
                   field("metadata", &Artifact::metadata, "Anything else."),
                   field("created_by", &Artifact::created_by, "The agent or tool that made it."),
                   field("tags", &Artifact::tags, "For grouping and search.")},
        .checks = {check<Artifact>(
            {"uri"}, "`uri` leads to a file inside of the workspace.",
            [](const Artifact& artifact, const Path& path, Problems& problems) {
                if (!is_workspace_uri(artifact.uri))
                    problems.add(Path(path, "uri"),
                                 "must be a path inside the workspace, like file://artifacts/main.py");
            },
            fmt::format(R"({{"properties":{{"uri":{}}}}})", workspace_uri_schema()))},
        .example = R"({"uri":"file://artifacts/code/main.py","mime_type":"text/x-python","size_bytes":1832,
"description":"The program.","version":"2",
"checksum":"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
"metadata":{"lines":60},"created_by":"coder","tags":["code","python"]})"};
    return entity;
}

const Entity& describe(const MemoryReference*)
{
    static const Entity entity{
        .name = "memory_reference",
        .doc = "An item of memory, and why it was found.",
        .fields = {field("memory_id", &MemoryReference::memory_id, "The item.", {.required = true, .min_length = 1}),
                   field("memory_type", &MemoryReference::memory_type, "Where it is kept.", {.required = true}),
                   field("relevance_score", &MemoryReference::relevance_score, "How near it is to what was asked."),
                   field("retrieval_query", &MemoryReference::retrieval_query, "What was asked.")},
        .example =
            R"({"memory_id":"mem_1","memory_type":"semantic","relevance_score":0.82,"retrieval_query":"deadlines"})"};
    return entity;
}

const Entity& describe(const GuardrailCheck*)
{
    static const Entity entity{
        .name = "guardrail_check",
        .doc = "One check by a guardrail.",
        .fields = {field("check_id", &GuardrailCheck::check_id, "This check.", {.required = true, .min_length = 1}),
                   field("check_type", &GuardrailCheck::check_type, "What kind of check.", {.required = true}),
                   field("status", &GuardrailCheck::status, "How it ended.", {.required = true}),
                   field("message", &GuardrailCheck::message, "What was found."),
                   field("policy_violated", &GuardrailCheck::policy_violated, "The policy that was broken."),
                   field("severity", &GuardrailCheck::severity, "How bad it is.")},
        .example = R"({"check_id":"chk_1","check_type":"content_filter","status":"warning",
"message":"A phone number was found.","policy_violated":"no_pii","severity":"high"})"};
    return entity;
}

}  // namespace cadre::model
