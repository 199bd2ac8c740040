// A task with all tasks below it, as one stream: each task's own things in their order, and between tasks as they come.
#pragma once

#include "base/signal.hpp"
#include "engine/principal.hpp"
#include "server/stream_kind.hpp"
#include "server/stream_position.hpp"
#include "server/stream_reader.hpp"
#include "server/stream_source.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {
class Queries;
}

namespace cadre::server {

/// Tasks that are told of at most; a place in the stream names each of them.
inline constexpr std::size_t kMostOfTree = 128;

/// Where a reader is in the task itself, and in those below it, by the beginning of their ids.
struct TreePosition {
    StreamPosition root{};
    std::map<std::string, StreamPosition, std::less<>> below{};
    bool is_now = false;  // of those below that are there already nothing is told, either

    bool operator==(const TreePosition&) const = default;
};
/// `7,3f2b8c1e0000:4/STEP/120`. Nothing: it is not one.
std::optional<TreePosition> find_tree_position(std::string_view text);

/// Lives on the feed's loop; feed and queries outlive it.
class StreamTree final : public StreamSource {
public:
    /// `agent`: whose task it is.
    StreamTree(Feed& feed, engine::Queries& queries, engine::Principal by, std::shared_ptr<FeedTask> root,
               const std::string& agent, TreePosition from, StreamFilter filter);
    StreamTree(const StreamTree&) = delete;
    StreamTree& operator=(const StreamTree&) = delete;
    ~StreamTree();

    Async<> begin() override;
    std::optional<StreamItem> take() override;
    Async<> more() override;
    bool is_over() const override;
    bool is_gone() const override { return branches_.front()->reader.is_gone(); }
    const Id& root() const override { return branches_.front()->reader.root(); }
    std::uint32_t last() const override { return branches_.front()->reader.last(); }
    std::string place() const override;
    std::uint32_t seen() const override { return branches_[current_]->reader.seen(); }
    std::string_view prefix() const override { return branches_[current_]->prefix; }

private:
    struct Branch {
        StreamReader reader;
        std::string path{};  // of agents: lead/scout
        std::string prefix{};
        std::optional<std::uint32_t> looked_at{};  // records of the task when it was asked for tasks below it
        bool awaits = false;                       // it has announced one that is not there yet
    };

    void add(std::shared_ptr<FeedTask> task, StreamPosition from, std::string path);
    bool has_news(const Branch& branch) const { return branch.looked_at != branch.reader.task().records(); }
    Async<bool> find_below(std::size_t at);
    Async<> until_stirred();
    Async<std::shared_ptr<const engine::TaskState>> find_state(Id task);
    std::uint64_t changes() const;

    Feed& feed_;
    engine::Queries& queries_;
    engine::Principal by_;
    StreamFilter filter_;
    std::map<std::string, StreamPosition, std::less<>> from_;  // of tasks that are not there yet
    std::vector<std::unique_ptr<Branch>> branches_;            // the root first, others behind what began them
    std::size_t current_ = 0;
    bool is_now_;  // what is found now was there when the stream began, of which nothing is told
    Signal stirred_;
};

}  // namespace cadre::server
