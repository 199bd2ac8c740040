// The owner of a home: the one process that writes its journal and runs tasks, its own and those of processes that ask it to.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_scope.hpp"
#include "base/signal.hpp"
#include "home/control/control.hpp"
#include "home/drivers.hpp"
#include "home/runtime.hpp"
#include "storage/home.hpp"

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace cadre::home {

class HomeUpkeep;
class ControlServer;
class TaskStream;

std::filesystem::path control_socket(const std::filesystem::path& home);

/// Lives on its loop; leave() before it dies.
class HomeOwner {
public:
    /// Hears, on the loop, that the journal can be written no more: the process should end.
    using OnFailure = std::function<void(const std::exception_ptr&)>;

    /// Opens the journal and listens. Throws Error(unavailable) when that cannot be; then the home is free again.
    HomeOwner(net::Loop& loop, const RuntimeOptions& options, storage::HomeLock lock, OnFailure on_failure);
    HomeOwner(const HomeOwner&) = delete;
    HomeOwner& operator=(const HomeOwner&) = delete;
    ~HomeOwner();

    /// What a request that takes but a moment comes to, as JSON. Throws what is wrong with it, or Leaving.
    Async<std::string> perform(Request request);

    /// Drives the task until it is at rest, and tells `sink` what happens after event `after`. `stay`: a question is no rest, it is
    /// told with a line `{"waiting":true}`. Returns the JSON of `{"status":…,"left_over":[…]}`.
    Async<std::string> drive(Id task, std::uint32_t after, bool stay, LineSink& sink);
    /// Drives all tasks that are not finished until each is at rest, and tells `sink` of each: `{"task":…,"status":…}`. Returns
    /// the JSON of `{"tasks":3}`.
    Async<std::string> drive_all(LineSink& sink);

    /// Lets what is under way finish; from now on nothing new begins.
    Async<> settle();
    /// settle(), then closes everything and gives the home up. Those who wait for their tasks notice.
    Async<> leave();

    Runtime& runtime() { return *runtime_; }

private:
    // requests, by their name
    Async<std::string> hello(boost::json::object args);
    Async<std::string> create(boost::json::object args);
    Async<std::string> answer(boost::json::object args);
    Async<std::string> resume(boost::json::object args);
    Async<std::string> cancel(boost::json::object args);
    Async<std::string> pause(boost::json::object args);
    Async<std::string> rest(boost::json::object args);
    Async<std::string> instruct(boost::json::object args);
    Async<std::string> breakpoints(boost::json::object args);
    Async<std::string> stop(boost::json::object args);
    Async<std::string> driving(boost::json::object args);
    Async<std::string> undo(boost::json::object args);
    Async<std::string> fork(boost::json::object args);
    Async<std::string> import_run(boost::json::object args);
    Async<std::string> gc(boost::json::object args);
    Async<std::string> rebuild(boost::json::object args);

    /// The task that a request is about, once it can be acted upon.
    Async<Id> subject(boost::json::object args);
    Async<std::string> said_to(Id task);
    std::string whose(const Id& task, bool driven, std::string_view status) const;
    Async<> wake(Id task);
    Async<> until_rest(Id task, bool stay, TaskStream& stream, std::optional<engine::TaskState>& rest);
    struct DriveAll;
    Async<> drive_one(Id task, DriveAll& all);
    Async<> put_away(Id task);
    Async<> until_put_away(Id task);

    net::Loop& loop_;
    std::optional<storage::HomeLock> lock_;
    std::unique_ptr<ControlServer> server_;  // listens before the store is opened: others then wait, and do not give up
    std::unique_ptr<Runtime> runtime_;
    std::unique_ptr<HomeUpkeep> upkeep_;
    Drivers drivers_;
    std::set<Id> parting_;  // tasks that are being put away
    Signal parted_;
    bool leaving_ = false;
    AsyncScope scope_;  // last: what it spawned uses all of the above
};

}  // namespace cadre::home
