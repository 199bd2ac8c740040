// Parts: what a step is made of, tagged by `type` (004 §2).
#pragma once

#include "model/type.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cadre::model {

struct Entity;

enum class MemoryType : std::uint8_t { short_term, long_term, semantic, episodic };
enum class MemoryOperation : std::uint8_t { store, retrieve, search, consolidate };
enum class CheckType : std::uint8_t { input_validation, content_filter, rate_limit, policy };
enum class CheckStatus : std::uint8_t { passed, failed, warning };
enum class Severity : std::uint8_t { low, medium, high, critical };

/// An agent's request to call a tool.
struct ToolCall {
    std::string id{};  // tc_…
    std::string tool_name{};
    boost::json::object args{};
    std::optional<std::string> expected_output_type{};
    std::optional<int> timeout{};  // seconds
    std::optional<boost::json::object> retry_policy{};

    bool operator==(const ToolCall&) const = default;
};

/// In `args`: a model's arguments that are no JSON object, as it wrote them, and what is wrong with them. Such a call is handed
/// on so that the model can be told; it is never made.
inline constexpr std::string_view kMalformedArguments = "_malformed_arguments";
inline constexpr std::string_view kArgumentsProblem = "_problem";

/// What a tool answered. Text stays as it is; other JSON is compact text (C-06).
struct ToolResult {
    std::string tool_call_id{};
    std::string result{};
    std::optional<std::string> error{};
    std::vector<std::string> artifacts{};
    std::optional<std::int64_t> execution_time_ms{};
    std::optional<boost::json::object> resource_usage{};
    std::optional<int> exit_code{};

    bool operator==(const ToolResult&) const = default;
};

/// A file of the task's workspace, by reference.
struct Artifact {
    std::string uri{};  // file://artifacts/main.py
    std::string mime_type{};
    std::optional<std::int64_t> size_bytes{};
    std::optional<std::string> description{};
    std::optional<std::string> version{};
    std::optional<std::string> checksum{};
    boost::json::object metadata{};
    std::optional<std::string> created_by{};
    std::vector<std::string> tags{};

    bool operator==(const Artifact&) const = default;
};

/// Whether `uri` is `file://` and a path that stays inside the workspace, escapes such as %2e read.
bool is_workspace_uri(std::string_view uri);
/// The same as a JSON Schema.
std::string_view workspace_uri_schema();

struct MemoryReference {
    std::string memory_id{};
    MemoryType memory_type = MemoryType::short_term;
    std::optional<double> relevance_score{};
    std::optional<std::string> retrieval_query{};

    bool operator==(const MemoryReference&) const = default;
};

struct GuardrailCheck {
    std::string check_id{};
    CheckType check_type = CheckType::policy;
    CheckStatus status = CheckStatus::passed;
    std::optional<std::string> message{};
    std::optional<std::string> policy_violated{};
    std::optional<Severity> severity{};

    bool operator==(const GuardrailCheck&) const = default;
};

struct TextPart {
    std::string text{};
    std::optional<std::string> language{};
    std::optional<double> confidence{};

    bool operator==(const TextPart&) const = default;
};

struct ToolCallPart {
    ToolCall tool_call{};

    bool operator==(const ToolCallPart&) const = default;
};

struct ToolResultPart {
    ToolResult tool_result{};

    bool operator==(const ToolResultPart&) const = default;
};

struct ArtifactPart {
    Artifact artifact{};

    bool operator==(const ArtifactPart&) const = default;
};

struct ImagePart {
    std::string image_url{};
    std::optional<std::string> alt_text{};
    std::optional<Dict<int>> dimensions{};  // width, height
    std::optional<std::string> format{};

    bool operator==(const ImagePart&) const = default;
};

struct AudioPart {
    std::string audio_url{};
    std::optional<std::string> transcript{};
    std::optional<double> duration_seconds{};
    std::optional<std::string> format{};
    std::optional<int> sample_rate{};

    bool operator==(const AudioPart&) const = default;
};

struct MemoryPart {
    MemoryOperation operation = MemoryOperation::store;
    std::vector<MemoryReference> references{};
    std::optional<boost::json::object> content{};

    bool operator==(const MemoryPart&) const = default;
};

struct GuardrailPart {
    std::vector<GuardrailCheck> checks{};
    CheckStatus overall_status = CheckStatus::passed;

    bool operator==(const GuardrailPart&) const = default;
};

/// failed before warning before passed; passed when there are none.
CheckStatus worst_of(std::span<const GuardrailCheck> checks);

using Part =
    std::variant<TextPart, ToolCallPart, ToolResultPart, ArtifactPart, ImagePart, AudioPart, MemoryPart, GuardrailPart>;

std::span<const EnumName> names_of(const MemoryType*);
std::span<const EnumName> names_of(const MemoryOperation*);
std::span<const EnumName> names_of(const CheckType*);
std::span<const EnumName> names_of(const CheckStatus*);
std::span<const EnumName> names_of(const Severity*);

const Entity& describe(const ToolCall*);
const Entity& describe(const ToolResult*);
const Entity& describe(const Artifact*);
const Entity& describe(const MemoryReference*);
const Entity& describe(const GuardrailCheck*);
const Entity& describe(const TextPart*);
const Entity& describe(const ToolCallPart*);
const Entity& describe(const ToolResultPart*);
const Entity& describe(const ArtifactPart*);
const Entity& describe(const ImagePart*);
const Entity& describe(const AudioPart*);
const Entity& describe(const MemoryPart*);
const Entity& describe(const GuardrailPart*);

}  // namespace cadre::model
