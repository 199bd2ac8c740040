// One entry of a script file, as it is written there.
#pragma once

#include "model/type.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::llm {

/// All that are given must hold.
struct ScriptCondition {
    std::optional<std::string> agent{};
    std::optional<std::string> contains{};
    std::optional<int> nth{};
    std::optional<bool> after_tool{};

    bool operator==(const ScriptCondition&) const = default;
};

struct ScriptCall {
    std::string name{};
    boost::json::object arguments{};
    std::string id{};

    bool operator==(const ScriptCall&) const = default;
};

struct ScriptUsage {
    std::optional<std::int64_t> input{};   // null: estimated
    std::optional<std::int64_t> output{};  // null: estimated
    std::int64_t cached = 0;
    std::int64_t reasoning = 0;
    double cost = 0;

    bool operator==(const ScriptUsage&) const = default;
};

struct ScriptFailure {
    int status = 0;
    std::optional<double> retry_after{};  // seconds
    std::optional<std::string> message{};

    bool operator==(const ScriptFailure&) const = default;
};

enum class ScriptBreak : std::uint8_t { cut, stall, error, malformed, content_type, oversized };

/// How an answer is spoilt on its way.
struct ScriptFault {
    ScriptBreak how = ScriptBreak::cut;
    std::int64_t after = 0;  // pieces
    std::int64_t ms = 0;
    std::int64_t bytes = 128 << 20;

    bool operator==(const ScriptFault&) const = default;
};

struct ScriptEntry {
    ScriptCondition when{};
    std::optional<std::string> text{};
    std::optional<boost::json::value> json{};
    std::vector<ScriptCall> tool_calls{};
    std::string reasoning{};
    std::optional<std::string> finish_reason{};
    ScriptUsage usage{};
    model::Dict<std::string> headers{};
    boost::json::value chunks{};  // null, a number, or a list of texts
    std::int64_t delay_ms = 0;
    std::int64_t pace_ms = 0;
    boost::json::value times = 1;  // or "any"
    std::optional<ScriptFailure> fail{};
    std::optional<std::int64_t> stall_ms{};
    std::optional<std::int64_t> truncate_after{};  // characters
    std::optional<ScriptFault> broken{};

    bool operator==(const ScriptEntry&) const = default;
};

const model::Entity& describe(const ScriptCondition*);
const model::Entity& describe(const ScriptCall*);
const model::Entity& describe(const ScriptUsage*);
const model::Entity& describe(const ScriptFailure*);
const model::Entity& describe(const ScriptFault*);
std::span<const model::EnumName> names_of(const ScriptBreak*);
const model::Entity& describe(const ScriptEntry*);

}  // namespace cadre::llm
