// Backend: the home that an engine works on, or its place in memory. All that the library asks of the rooms below stands in its .cpp
// file; everything runs on its loop.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_scope.hpp"
#include "base/log.hpp"
#include "cadre/engine.hpp"
#include "engine/commands.hpp"
#include "engine/principal.hpp"
#include "engine/queries.hpp"
#include "engine/task_state.hpp"
#include "home/runtime.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace cadre::home {
class HomeOwner;
class Project;
}  // namespace cadre::home

namespace cadre::library {

/// Where a task has come to rest.
struct Rest {
    Outcome outcome{};
    std::uint32_t last = 0;  // number of its last event
};

/// Lives on its loop; close() before it dies.
class Backend {
public:
    /// Throws Error: another process has the home, it cannot be written.
    Backend(net::Loop& loop, const EngineOptions& options);
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    ~Backend();

    home::Runtime& runtime() { return *runtime_; }
    const Log& log() const { return log_; }
    /// The engine's project, or what stands in for it where there is none. Throws what is wrong with its files.
    std::shared_ptr<const home::Project> project();

    /// The request has an id.
    Async<> create(engine::CreateTask request);
    Async<Id> resolve(std::string prefix);
    Async<std::vector<Id>> tasks(bool open_only);
    Async<Outcome> look(Id task);
    Async<Status> status(Id task);
    /// Until it has ended, waits for a person or is paused.
    Async<Rest> until_rest(Id task);
    Async<std::unique_ptr<engine::Subscription>> watch(Id task, std::uint32_t after);
    /// The same for a task that is about to be created: nothing of it is missed.
    std::unique_ptr<engine::Subscription> watch_new(const Id& task);

    Async<> answer(Id task, std::string question, Answer answer);
    Async<bool> cancel(Id task, std::string reason);
    Async<> pause(Id task);
    Async<> resume(Id task);
    Async<> instruct(Id task, std::string text);
    /// Those that were interrupted and could be resumed.
    Async<std::vector<Id>> resume_all();

    /// What runs is parked, as soon as functions of the program have returned.
    Async<> close();

private:
    void drive(const Id& task);
    Async<> keep_driving(Id task);
    Async<> park(Id task);
    Async<bool> is_driven(Id task);
    /// Also what tasks below it ask, where it waits only for those.
    Async<Outcome> outcome_at(std::shared_ptr<const engine::TaskState> state);

    net::Loop& loop_;
    Log log_;
    engine::Principal who_ = engine::local_user("");
    std::filesystem::path folder_;              // of the home
    std::filesystem::path project_;             // empty: none
    std::unique_ptr<home::HomeOwner> owner_;    // of a home; else
    std::unique_ptr<home::Runtime> in_memory_;  // nothing is kept
    home::Runtime* runtime_ = nullptr;          // of one of the two
    std::set<Id> driven_;
    AsyncScope scope_;  // last: what it spawned uses all of the above
};

}  // namespace cadre::library
