// A chunk: tokens of a model on their way to a reader, or how far a tool is. Streamed, never journaled; the step that follows holds
// the text.
#pragma once

#include "base/time.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace cadre::model {

struct Entity;

struct StreamChunk {
    std::string step_id{};  // with `progress`: of the call
    std::string agent_name{};
    std::string text{};
    bool is_final = false;
    std::optional<std::int64_t> token_count{};
    Time timestamp{};

    bool aborted = false;                   // the last: the answer broke off, and what came of it is not the answer
    std::optional<Time> throttled_until{};  // nothing comes before that, because the vendor wants it so

    std::optional<std::string> task_id{};   // of a task below the one that is watched, for who asked for those
    std::optional<std::string> progress{};  // what a tool says while it is called; `text` is empty then

    bool operator==(const StreamChunk&) const = default;
};

const Entity& describe(const StreamChunk*);

}  // namespace cadre::model
