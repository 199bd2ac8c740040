// One reader of a task: what comes next for it, from wherever it is. It holds a position, and at most one page of the journal while it is
// behind what the feed keeps.
//
// Texts are never lost, only merged: who is slow gets the same text in fewer, larger pieces; who comes late gets it from the journal.
#pragma once

#include "base/async_fwd.hpp"
#include "server/feed.hpp"
#include "server/stream_kind.hpp"
#include "server/stream_position.hpp"
#include "server/stream_source.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cadre::server {

/// Behind everything that there is right now.
StreamPosition position_now(const FeedTask& task);

/// Lives on the feed's loop.
class StreamReader final : public StreamSource {
public:
    StreamReader(std::shared_ptr<FeedTask> task, StreamPosition from, StreamFilter filter);

    Async<> begin() override;
    std::optional<StreamItem> take() override;
    Async<> more() override;
    bool is_over() const override;
    bool is_gone() const override { return gone_; }
    const Id& root() const override { return task_->id(); }
    std::uint32_t last() const override { return task_->last(); }
    std::string place() const override { return position_text(position_); }
    std::uint32_t seen() const override { return position_.seen; }

    /// Whether more() would read now, and not wait.
    bool can_read() const;
    const StreamPosition& position() const { return position_; }
    FeedTask& task() const { return *task_; }

private:
    bool is_behind() const { return position_.seen < task_->before(); }
    FeedEventPtr next_event() const;
    std::optional<StreamItem> take_text();
    std::optional<StreamItem> take_end(const std::vector<engine::StepEnd>& ends);
    void pass(const std::vector<engine::StepEnd>& ends);
    std::optional<StreamItem> take_notice();
    FeedEventPtr take_news();
    Async<> read_page();

    std::shared_ptr<FeedTask> task_;
    StreamFilter filter_;
    StreamPosition position_;
    std::uint64_t noticed_;
    std::uint64_t heard_;                          // of the news
    std::deque<FeedEventPtr> page_;                // from the journal, while it is behind
    std::vector<engine::StepEnd> carried_;         // ends behind the page's last event
    std::optional<engine::JournalPlace> place_{};  // where the next page begins
    std::optional<std::uint64_t> waited_for_{};    // changes of the task when the journal had nothing more
    bool gone_ = false;
};

}  // namespace cadre::server
