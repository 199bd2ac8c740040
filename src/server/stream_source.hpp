// What a stream is told from: a task, or a task with all below it.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "model/chunk.hpp"
#include "server/feed.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace cadre::server {

/// A piece of a step's text, which begins at that byte of it.
struct StreamPiece {
    model::StreamChunk chunk{};
    std::size_t offset = 0;
};

using StreamItem = std::variant<FeedEventPtr, StreamPiece>;

class StreamSource {
public:
    /// Looks how far things are; is_over() is right from then on.
    virtual Async<> begin() = 0;
    /// What comes next, if it is there; place() is behind it then.
    virtual std::optional<StreamItem> take() = 0;
    /// Until take() may have something, or is_over().
    virtual Async<> more() = 0;
    /// All has ended, and everything was taken.
    virtual bool is_over() const = 0;
    /// The journal is not there any more.
    virtual bool is_gone() const = 0;

    /// The task that was asked for, and the number of its last event.
    virtual const Id& root() const = 0;
    virtual std::uint32_t last() const = 0;
    /// What brings a reader back to behind all that was taken.
    virtual std::string place() const = 0;
    /// The last event that was seen, of the task of which something was taken last.
    virtual std::uint32_t seen() const = 0;
    /// Members that tell in an envelope which task that is, each with its comma; empty: there is only one.
    virtual std::string_view prefix() const { return {}; }

protected:
    ~StreamSource() = default;
};

}  // namespace cadre::server
