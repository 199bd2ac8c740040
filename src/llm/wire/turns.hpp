// A conversation as vendors want it: people and models take turns, and every call has its result, at the start of the turn after
// it.
#pragma once

#include "llm/model.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm {

/// What a call came to; `message` is null when nobody ever said, as after a crash.
struct CallResult {
    const model::ToolCall* call;
    const Message* message;
};

/// What is said of a call without a result: vendors refuse a conversation that leaves one out.
inline constexpr std::string_view kNoResult = "No result of this call was recorded.";

/// Points into the request.
struct Turn {
    bool by_model = false;
    std::vector<CallResult> results{};  // of all calls of the turn before, in their order; not by_model
    /// Messages with something in them. A tool's among those of people answers a call that is not there.
    std::vector<const Message*> messages{};
};

/// Where messages of the role `system` that stand in a conversation go.
enum class SystemMessages : std::uint8_t { in_place, on_top };

struct Turns {
    std::string system{};  // the instructions, and what went on top
    std::vector<Turn> list{};
};
Turns turns_of(const Request& request, SystemMessages systems);

/// Nothing but white space, which some vendors refuse.
bool is_blank(std::string_view text);

/// For vendors that cannot be given a schema: what the model is told in place of it.
std::string schema_in_words(std::string_view schema);

}  // namespace cadre::llm
