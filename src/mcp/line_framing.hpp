// Lines out of bytes, however they are split, as MCP's stdio transport frames its messages.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::mcp {

/// Fed with pieces of a stream:
///     lines.feed(piece);
///     while (const auto line = lines.next()) …;
/// Empty lines are none. A line that lies in one piece is a view into it; only what is split is kept.
class LineFraming {
public:
    explicit LineFraming(std::size_t longest) : longest_(longest) {}

    /// The last piece has been used up: next() returned nothing. This one stays alive until it does so again.
    void feed(std::string_view piece) { rest_ = piece; }
    /// Without its end; valid until the next call. Throws Error(too_large) as soon as a line is longer than the longest, whether or
    /// not its end is there; then the stream is of no use any more.
    std::optional<std::string_view> next();

private:
    std::size_t longest_;
    std::string_view rest_;
    std::string kept_;    // the beginning of a line, from earlier pieces
    bool shown_ = false;  // kept_ was handed out
};

}  // namespace cadre::mcp
