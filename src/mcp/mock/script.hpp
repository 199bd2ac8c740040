// A script of mock-mcp: tools and what they answer, as a file says it.
#pragma once

#include "model/type.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::mcp::mock {

/// All that are given must hold.
struct Condition {
    std::optional<std::string> contains{};
    std::optional<std::int64_t> nth{};
    boost::json::object arguments{};

    bool operator==(const Condition&) const = default;
};

struct Failure {
    std::int64_t code = 0;
    std::string message{};

    bool operator==(const Failure&) const = default;
};

struct Answer {
    Condition when{};
    std::optional<std::string> text{};
    std::optional<boost::json::value> json{};
    std::optional<std::string> error{};
    std::optional<Failure> fail{};
    bool stall = false;
    bool crash = false;
    std::int64_t delay_ms = 0;
    bool duplicate = false;
    bool wrong_id = false;
    std::string noise{};
    bool count = false;
    boost::json::value times = 1;  // or "any"

    bool operator==(const Answer&) const = default;
};

struct Change {
    std::int64_t after = 0;  // calls
    std::string description{};

    bool operator==(const Change&) const = default;
};

struct ScriptTool {
    std::string name{};
    std::string description{};
    boost::json::object input_schema{};  // empty: any object
    boost::json::object annotations{};
    std::vector<Answer> answers{};
    std::optional<Change> changes{};

    bool operator==(const ScriptTool&) const = default;
};

struct Script {
    bool builtin = true;  // echo, add and the others are there too
    std::vector<ScriptTool> tools{};

    bool operator==(const Script&) const = default;
};

const model::Entity& describe(const Condition*);
const model::Entity& describe(const Failure*);
const model::Entity& describe(const Answer*);
const model::Entity& describe(const Change*);
const model::Entity& describe(const ScriptTool*);
const model::Entity& describe(const Script*);

/// With where it was read.
struct ReadScript {
    Script script{};
    std::string name{};                             // of the file
    std::vector<std::vector<std::size_t>> lines{};  // of each tool's answers
};

/// YAML, or JSON when `name` ends so. Throws Error(malformed or invalid) with all problems at `name:line:column`.
ReadScript read_script(std::string_view text, const std::string& name);

}  // namespace cadre::mcp::mock
