// Models that are functions of the program.
#pragma once

#include "cadre/run.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre {

/// One message of a conversation with a model. `role` is user, assistant or tool.
struct Message {
    std::string role{};
    std::string text{};
};

/// What a model is asked.
struct Request {
    std::string agent{};
    std::string instructions{};
    std::vector<Message> messages{};
    std::vector<std::string> tools{};  // names of those that it may call
    std::optional<double> temperature{};
    int nth = 1;  // which model call of this agent in its task
};

/// What a model says: words, or calls of tools.
struct Reply {
    std::string text{};
    std::vector<ToolCall> calls{};
};

inline Reply says(std::string text)
{
    return {.text = std::move(text)};
}
inline Reply calls(std::string tool, std::string arguments)
{
    return {.calls = {{.tool = std::move(tool), .arguments = std::move(arguments)}}};
}

/// Tells whoever watches a piece of the answer, before all of it is known.
using Say = std::function<void(std::string_view piece)>;

/// Answers as a model does. It runs on another thread than the engine's, several at once; what it throws fails the model call. All
/// pieces together are the text of the reply; a reply without a text has that of the pieces.
using Model = std::function<Reply(const Request&, const Say&)>;

}  // namespace cadre
