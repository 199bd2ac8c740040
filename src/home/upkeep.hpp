// HomeUpkeep: what the owner of a home does beside running tasks. It keeps their folders and their copies in Redis up to date, and
// removes what the retention policy lets go.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_mutex.hpp"
#include "base/async_scope.hpp"
#include "base/pool.hpp"
#include "engine/projections/projector.hpp"
#include "engine/retention.hpp"
#include "home/requests.hpp"
#include "home/runtime.hpp"
#include "net/loop.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace cadre::home {

class RedisCopies;  // home/redis_copies.hpp

/// `tasks/` in the home.
std::filesystem::path task_folders(const std::filesystem::path& home);

/// What a collection removes, or would.
Collected collected(std::span<const engine::Expired> expired);

/// Lives on its loop, shorter than the room; finish() before it dies.
class HomeUpkeep {
public:
    HomeUpkeep(net::Loop& loop, Runtime& room);
    HomeUpkeep(const HomeUpkeep&) = delete;
    HomeUpkeep& operator=(const HomeUpkeep&) = delete;
    ~HomeUpkeep();

    /// Writes the files and the copy of the task again; nothing: of all tasks.
    Async<Rebuilt> rebuild(std::optional<Id> task);
    /// Removes nothing while the clock is implausibly far ahead of the home's last use, unless it is forced to.
    Async<Collected> collect(model::framework::RetentionPolicy policy, bool force);
    /// A task that has ended, with all below it, whatever the policy says.
    Async<Collected> remove(Id task);

    /// Writes what is behind, as far as that goes quickly. No task runs any more.
    Async<> finish();

    /// Null: the project names no Redis.
    const RedisCopies* copies() const { return copies_.get(); }

private:
    /// Both hear what happens in journals.
    struct Followers final : engine::HostListener {
        void on_append(const storage::Record& record) noexcept override;
        void on_progress(const Id& task, std::uint32_t seq) noexcept override;
        void on_rest(const Id& task) noexcept override;

        engine::Projector* files = nullptr;
        RedisCopies* copies = nullptr;  // null: there are none
    };

    std::unique_ptr<RedisCopies> redis_copies();
    Async<std::string> rebuild_one(Id task);
    Async<> tend();
    Async<> collect_if_due();
    Async<> forget_traces(std::span<const engine::Expired> gone);
    Millis clock_ahead() const;

    net::Loop& loop_;
    std::filesystem::path home_;
    Runtime& room_;
    ThreadPool pool_;
    engine::Projector projector_;
    engine::Collector collector_;
    std::unique_ptr<RedisCopies> copies_;
    Followers followers_;
    const Time taken_at_;  // the home was, by the time of day
    const Instant taken_;  // and by a clock that is never set
    const Millis ahead_;   // of the home's last use before
    bool warned_ = false;  // that the clock is ahead
    bool looked_ = false;  // whether something is due
    AsyncMutex files_;     // made and removed by one at a time: else what one has removed, the other brings back
    AsyncScope scope_;     // last: what it spawned uses all of the above
};

}  // namespace cadre::home
