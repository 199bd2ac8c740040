// HomeUpkeep: what the owner of a home does beside running tasks. It keeps their folders up to date, and removes what the
// retention policy lets go.
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
#include <optional>
#include <span>
#include <string>

namespace cadre::home {

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

    /// Writes the files of the task again; nothing: of all tasks.
    Async<Rebuilt> rebuild(std::optional<Id> task);
    Async<Collected> collect(model::framework::RetentionPolicy policy);

    /// Writes what is behind, as far as that goes quickly. No task runs any more.
    Async<> finish();

private:
    Async<std::string> rebuild_one(Id task);
    Async<> tend();
    Async<> collect_if_due();

    net::Loop& loop_;
    std::filesystem::path home_;
    Runtime& room_;
    ThreadPool pool_;
    engine::Projector projector_;
    engine::Collector collector_;
    bool looked_ = false;  // whether something is due
    AsyncMutex files_;     // made and removed by one at a time: else what one has removed, the other brings back
    AsyncScope scope_;     // last: what it spawned uses all of the above
};

}  // namespace cadre::home
