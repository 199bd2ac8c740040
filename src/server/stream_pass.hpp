// From a reader to a client, whatever carries it: things as they come, signs of life between them, and why it ends.
#pragma once

#include "base/async_fwd.hpp"
#include "base/time.hpp"
#include "engine/principal.hpp"
#include "net/http_request_parser.hpp"
#include "server/stream_source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::server {

class Call;
struct Service;

enum class StreamEnd : std::uint8_t {
    ended,       // the task has, and everything was told
    drained,     // the server leaves
    removed,     // the task's journal is gone
    signed_out,  // the token is not good any more
    forbidden,   // it is, and does not allow this any more
    gone,        // the client is
    failed,      // a fault of the server
};
/// A word for programs: `ended`.
std::string_view name_of(StreamEnd end);

/// Who watches, and whether they still may.
class StreamGuard {
public:
    explicit StreamGuard(Call& call);

    /// Looks again, when it is time to; nothing: they may. `task`: read that one; none: anything.
    Async<std::optional<StreamEnd>> look(std::optional<Id> task);
    /// Until the next look.
    Millis until_look() const;

private:
    Service& service_;
    engine::Principal by_;
    net::HttpHead credentials_;  // without the rest of the request
    Instant next_;
};

/// How things look on the wire, and how they get there.
class StreamOut {
public:
    /// `source` is behind the item.
    virtual void add(std::string& out, const StreamItem& item, const StreamSource& source) = 0;
    /// A sign of life, with where a reader that comes back may begin.
    virtual void add_beat(std::string& out, const StreamSource& source) = 0;
    /// False: the client is gone.
    virtual Async<bool> write(std::string text) = 0;

protected:
    ~StreamOut() = default;
};

/// `beat`: how long it may be silent.
Async<StreamEnd> pass_on(Service& service, StreamSource& source, StreamGuard& guard, StreamOut& out, Millis beat);

/// True: it ended in time.
Async<bool> ends_within(Async<> work, Millis limit);

}  // namespace cadre::server
