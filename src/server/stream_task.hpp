// A task as a stream: a WebSocket, or server-sent events.
#pragma once

#include "base/async_fwd.hpp"
#include "server/route.hpp"
#include "server/stream_kind.hpp"
#include "server/stream_position.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::model {
struct Entity;
}

namespace cadre::server {

class Call;
class FeedTask;

/// What the query of a stream can say.
struct StreamQuery {
    std::optional<std::string> since{};  // a position, or `now`; null: from the beginning
    std::optional<std::string> after{};  // another name for it
    std::optional<std::string> step{};
    std::optional<std::int64_t> offset{};
    bool envelope = false;
    bool tree = false;
    std::optional<std::string> ticket{};
    // of a page only
    int limit = 256;
    int wait = 0;  // seconds
};
const model::Entity& describe(const StreamQuery*);

/// What 204 says of a stream.
inline constexpr std::string_view kNothingLeft = "All was seen, and the task has ended.";

/// Where a client wants to read on; `last_id`, what it says it has seen last, is newer than its URL. Throws Refusal.
StreamPosition start_of(std::string_view last_id, const StreamQuery& query, const FeedTask& task);

/// Whether the request asks for a stream, where the path has a page too: for a WebSocket, or with `Accept: text/event-stream`.
bool wants_stream(const Call& call);
/// The route of a page whose path is that of a stream, too.
Route with_stream(Route page, std::string_view kind);
/// Answers with the stream of `{task_id}`, until it ends or the client goes.
Async<> stream_task(Call& call, const StreamKind& kind);
/// A page of events, for those who ask again and again.
Async<> page_of_events(Call& call, const StreamKind& kind);

}  // namespace cadre::server
