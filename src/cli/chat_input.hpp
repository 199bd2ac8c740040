// Where the messages of a chat come from: a person at a terminal, or lines of standard input.
#pragma once

#include "base/async_fwd.hpp"

#include <memory>
#include <optional>
#include <string>

namespace cadre::cli {

class VerbContext;

/// Lives on one loop.
class ChatInput {
public:
    virtual ~ChatInput() = default;

    /// The next message; nothing at the end, or when a signal has come.
    virtual Async<std::optional<std::string>> next() = 0;
    /// Whether a person types, who can be told what went wrong and goes on.
    virtual bool has_person() const = 0;
};

/// A terminal where it can be drawn on, or else lines, where one that ends in a backslash goes on with the next.
std::unique_ptr<ChatInput> chat_input(VerbContext& command);

}  // namespace cadre::cli
