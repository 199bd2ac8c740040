// One reader of a task: what comes next for it, from wherever it is. It holds a position, and at most one page of the journal while it is
// behind what the feed keeps.
//
// Texts are never lost, only merged: who is slow gets the same text in fewer, larger pieces; who comes late gets it from the journal.
#pragma once

#include "base/async_fwd.hpp"
#include "model/chunk.hpp"
#include "server/feed.hpp"
#include "server/stream_kind.hpp"
#include "server/stream_position.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cadre::server {

/// A piece of a step's text, which begins at that byte of it.
struct StreamPiece {
    model::StreamChunk chunk{};
    std::size_t offset = 0;
};

using StreamItem = std::variant<FeedEventPtr, StreamPiece>;

/// Lives on the feed's loop.
class StreamReader {
public:
    StreamReader(std::shared_ptr<FeedTask> task, StreamPosition from, StreamFilter filter);

    /// What comes next, if it is there; position() is behind it then.
    std::optional<StreamItem> take();
    /// Until take() may have something, or is_over().
    Async<> more();
    /// The task has ended, and everything was taken.
    bool is_over() const;
    /// The journal is not there any more.
    bool is_gone() const { return gone_; }

    const StreamPosition& position() const { return position_; }
    FeedTask& task() { return *task_; }

private:
    bool is_behind() const { return position_.seen < task_->before(); }
    FeedEventPtr next_event() const;
    std::optional<StreamItem> take_text();
    std::optional<StreamItem> take_end(const std::vector<engine::StepEnd>& ends);
    void pass(const std::vector<engine::StepEnd>& ends);
    std::optional<StreamItem> take_notice();
    Async<> read_page();

    std::shared_ptr<FeedTask> task_;
    StreamFilter filter_;
    StreamPosition position_;
    std::uint64_t noticed_;
    std::deque<FeedEventPtr> page_;                // from the journal, while it is behind
    std::vector<engine::StepEnd> carried_;         // ends behind the page's last event
    std::optional<engine::JournalPlace> place_{};  // where the next page begins
    std::optional<std::uint64_t> waited_for_{};    // changes of the task when the journal had nothing more
    bool gone_ = false;
};

}  // namespace cadre::server
