// Feed: what happens to tasks that somebody watches, kept for a moment and shared by all who read it: events as JSON, made once, and the
// text that models write right now. A reader is a position in it (stream_reader.hpp); nothing is queued for anybody.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "base/signal.hpp"
#include "engine/hub.hpp"
#include "engine/told_events.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::storage {
class Store;
}
namespace cadre::engine {
struct TaskState;
}

namespace cadre::server {

struct FeedLimits {
    std::size_t events = 512;       // of a task
    std::size_t bytes = 256 << 10;  // of a task's events, and of a step's text
    std::size_t notices = 64;       // of a task
    std::size_t all = 64 << 20;     // bytes of all tasks; those of the least watched go first
};

/// An event as it is sent.
struct FeedEvent {
    std::uint32_t number = 0;
    std::string_view type{};  // event_task_start
    std::string json{};
    std::vector<engine::StepEnd> ends{};  // steps that ended just before it

    std::size_t size() const;
};
using FeedEventPtr = std::shared_ptr<const FeedEvent>;
std::vector<FeedEventPtr> rendered(std::vector<engine::JournaledEvent> told);

/// The text of a step while a model writes it.
struct FeedText {
    std::string agent{};
    std::uint32_t after = 0;  // events that come before it
    std::size_t begin = 0;    // bytes that are not kept any more
    std::string text{};       // from there on
    bool is_final = false;
    bool aborted = false;
    Time at{};  // when the last of it came

    std::size_t end() const { return begin + text.size(); }
};

/// What a tool or a vendor says meanwhile, of which nothing is left afterwards.
struct FeedNotice {
    std::uint64_t number = 0;
    model::StreamChunk chunk{};
};

class Feed;

/// One task that is watched. Lives on the feed's loop, as long as somebody watches.
class FeedTask {
public:
    FeedTask(Feed& feed, const engine::TaskState& state);
    FeedTask(const FeedTask&) = delete;
    FeedTask& operator=(const FeedTask&) = delete;
    ~FeedTask();

    const Id& id() const { return id_; }
    const std::deque<FeedEventPtr>& events() const { return events_; }
    /// Steps that are being written, or whose end is not in the journal yet.
    const std::map<std::string, FeedText>& texts() const { return texts_; }
    const std::deque<FeedNotice>& notices() const { return notices_; }
    std::uint64_t last_notice() const { return last_notice_; }

    /// The last event before those that are kept.
    std::uint32_t before() const { return counted_ - static_cast<std::uint32_t>(events_.size()); }
    std::uint32_t last() const { return counted_; }
    std::uint32_t records() const { return next_seq_ - 1; }
    /// The task has ended, and its last event is known.
    bool ended() const { return ended_ && !stale_; }
    /// Whether there may be more in the journal than is known here.
    bool is_stale() const { return stale_; }
    /// Reads it. Of several who ask for it at the same time, one reads and the others wait.
    Async<> refresh();
    /// Grows whenever something changes; look, then wait for changed().
    std::uint64_t changes() const { return changes_; }
    Signal& changed() { return changed_; }
    /// Events that are no task's own, and have no number: of policies.
    const std::deque<std::pair<std::uint64_t, FeedEventPtr>>& news() const { return news_; }
    std::uint64_t last_news() const { return last_news_; }
    /// For those who wait for several tasks at once; it is notified with changed().
    void add_ear(Signal& ear) { ears_.push_back(&ear); }
    void remove_ear(Signal& ear) noexcept { std::erase(ears_, &ear); }

    Feed& feed() { return feed_; }

private:
    friend class Feed;

    void on_durable() noexcept;
    void on_chunk(const model::StreamChunk& chunk, std::uint32_t events);
    void tell() noexcept;
    void add(FeedEventPtr event);
    void drop_oldest();

    Feed& feed_;
    Id id_;
    std::deque<FeedEventPtr> events_;
    std::size_t bytes_ = 0;  // of events
    std::map<std::string, FeedText> texts_;
    std::deque<FeedNotice> notices_;
    std::uint64_t last_notice_ = 0;
    std::string tenant_;
    std::deque<std::pair<std::uint64_t, FeedEventPtr>> news_;
    std::uint64_t last_news_ = 0;
    std::set<std::string> missed_;       // steps whose beginning was not kept for us
    std::vector<engine::StepEnd> rest_;  // behind the last event
    std::uint32_t next_seq_;
    std::uint32_t counted_;
    bool ended_;
    bool stale_ = true;
    bool reading_ = false;
    std::uint64_t changes_ = 0;
    Signal changed_;
    std::vector<Signal*> ears_;
    std::weak_ptr<FeedTask> self_;
};

/// Lives on the hub's loop; hub and store outlive it, and it outlives those who watch.
class Feed final : engine::HubListener {
public:
    Feed(engine::Hub& hub, storage::Store& store, FeedLimits limits = {});
    Feed(const Feed&) = delete;
    Feed& operator=(const Feed&) = delete;
    ~Feed();

    /// Shared with everybody who watches it. `state` is what the task is right now.
    std::shared_ptr<FeedTask> watch(const engine::TaskState& state);
    /// Tells all who watch tasks of that tenant, or any task: of what happened to no task in particular.
    void tell_all(const FeedEventPtr& news, const std::optional<std::string>& tenant = {});
    /// Everybody looks again: the server is about to leave.
    void wake_all() noexcept;

    /// Is told of every task that something happened to, at once.
    void set_watcher(std::function<void(const Id&)> watcher) { watcher_ = std::move(watcher); }

    storage::Store& store() { return store_; }
    std::size_t tasks() const { return tasks_.size(); }
    std::size_t bytes() const { return bytes_; }

private:
    friend class FeedTask;

    void on_durable(const Id& task) noexcept override;
    void on_chunk(const Id& task, const model::StreamChunk& chunk, std::uint32_t events) noexcept override;
    void make_room() noexcept;

    engine::Hub& hub_;
    storage::Store& store_;
    FeedLimits limits_;
    std::map<Id, FeedTask*> tasks_;
    std::size_t bytes_ = 0;  // of all events and texts
    std::function<void(const Id&)> watcher_;
};

}  // namespace cadre::server
