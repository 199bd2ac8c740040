// RedisCopies: keeps a copy of every task in a Redis, for clients of document 002. Nothing waits for it and nothing is lost without it:
// what was not written is known by one mark a task, or found again in the store.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_scope.hpp"
#include "base/id.hpp"
#include "base/log.hpp"
#include "base/signal.hpp"
#include "engine/host.hpp"
#include "net/redis.hpp"
#include "storage/store.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace cadre {
class Pool;
}
namespace cadre::engine {
class PinnedTeams;
}

namespace cadre::home {

/// Everything outlives the copies.
struct RedisCopiesSetting {
    net::Loop& loop;
    Pool& pool;
    storage::Store& store;
    engine::PinnedTeams& teams;
    net::RedisOptions redis;
    Millis lifetime;  // of a copy, since something was last done with its task
    Log log;
    std::size_t marks = 10'000;  // where more tasks than these are behind, they are looked for in the store instead
};

/// Lives on its loop; finish() before it dies.
class RedisCopies final : public engine::HostListener {
public:
    /// Begins with what an earlier process has left behind, and with all tasks that have not ended. Throws Error(invalid) when the file
    /// of authorities cannot be read.
    explicit RedisCopies(RedisCopiesSetting setting);
    RedisCopies(const RedisCopies&) = delete;
    RedisCopies& operator=(const RedisCopies&) = delete;
    ~RedisCopies();

    void on_append(const storage::Record& record) noexcept override;
    void on_progress(const Id& task, std::uint32_t seq) noexcept override;
    void on_rest(const Id& task) noexcept override;

    /// Its copy is written again, or removed where it has no journal any more.
    void renew(const Id& task, const std::string& tenant);
    /// Until everything is written, or Redis does not take it; no longer than that.
    Async<> settle(Millis limit);
    /// The same, and then it stops.
    Async<> finish(Millis limit);

    /// Why copies are not written; empty: they are, or it has not been tried yet.
    const std::string& trouble() const { return redis_.connected() ? refused_ : redis_.trouble(); }

private:
    struct Fold;
    struct Stored;
    struct Task {
        std::string tenant{};
        std::uint32_t changed = 0;  // the last record that its copy shows, until that is durable
        bool behind = false;        // in line_
        bool busy = false;          // being written
        bool rests = true;          // nothing more comes for now
        std::shared_ptr<Fold> fold{};
    };
    /// Looking through the store for tasks whose copies may be missing.
    struct Sweep {
        bool open_only = false;
        std::optional<storage::TaskCursor> before{};
    };

    void mark(const Id& task, Task& entry);
    bool is_all_written() const { return begun_ && line_.empty() && !sweep_ && busy_ == 0; }
    Async<> serve();
    Async<> pass_on_changes();
    Async<> sweep_on();
    Async<> write(Id task);
    Async<std::optional<Stored>> stored_form(Id task);
    Async<> prepare(Fold& fold);
    Async<> put(Stored stored);
    Async<> until_settled();
    void tell();

    RedisCopiesSetting setting_;
    net::Redis redis_;
    net::RedisScript script_;
    std::map<Id, Task> tasks_;
    std::deque<Id> line_;  // to be written
    std::optional<Sweep> sweep_;
    std::size_t busy_ = 0;
    bool begun_ = false;   // it is known what an earlier process has left behind
    std::string failure_;  // of those that are under way; empty: none yet
    std::string refused_;  // why the last copies were not written
    bool told_ = false;    // that they are not
    bool odd_told_ = false;
    bool unreadable_told_ = false;
    Signal changed_;
    AsyncScope scope_;  // last: its coroutines use all of the above
};

}  // namespace cadre::home
