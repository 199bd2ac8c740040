// A tool: something an agent may call.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::model {

struct Entity;
struct EnumName;

enum class ToolType : std::uint8_t { builtin, custom, mcp, hitl };

/// What a second dispatch of the same call would do, and so whether one may follow an unknown outcome. It never decides
/// whether a call is allowed.
enum class Effect : std::uint8_t {
    pure,        // nothing: free to repeat
    idempotent,  // the same again
    keyed,       // the same again, because the tool knows our idempotency key
    once,        // it all twice: never repeated by us
};

enum class Permission : std::uint8_t { allow, ask, deny };

/// Seconds a call may take when neither the call nor the tool says so.
inline constexpr int kToolTimeout = 300;

/// What the config of a tool has, beside its own settings, once a task is pinned to it: what its server calls it, the hash of what it was
/// then, and whether that is something else than what was first seen of it.
inline constexpr std::string_view kRemoteName = "tool", kDefinitionHash = "sha256", kDefinitionChanged = "changed";

struct Tool {
    std::string name{};
    ToolType type = ToolType::builtin;
    boost::json::object config{};
    std::optional<std::string> path{};               // custom
    std::optional<std::string> function{};           // custom
    std::optional<std::string> server_url{};         // mcp
    std::optional<int> timeout{};                    // seconds
    std::optional<std::string> escalation_policy{};  // hitl

    std::string description{};
    std::optional<boost::json::object> input_schema{};
    std::optional<boost::json::object> output_schema{};
    std::optional<std::string> server{};  // the configured MCP server that has it
    std::vector<std::string> fallback_tools{};
    boost::json::object retry_policy{};
    Effect effect = Effect::once;
    std::optional<Permission> permission{};  // null: by the rules of the house
    std::optional<int> max_parallel{};       // calls at once, of the whole process; null: no limit

    bool operator==(const Tool&) const = default;
};

std::span<const EnumName> names_of(const ToolType*);
std::span<const EnumName> names_of(const Effect*);
std::span<const EnumName> names_of(const Permission*);
const Entity& describe(const Tool*);

}  // namespace cadre::model
