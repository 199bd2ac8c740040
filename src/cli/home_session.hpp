// A command's way to the home, whoever owns it: this process if nobody else does, or the one that does. When the owner leaves, the
// command goes on with the next one, which may be this process.
#pragma once

#include "base/async_fwd.hpp"
#include "base/time.hpp"
#include "cli/control.hpp"
#include "cli/output.hpp"
#include "engine/hub.hpp"
#include "engine/task_state.hpp"
#include "net/loop.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace cadre::engine {
class Commands;
}

namespace cadre::cli {

class ControlClient;
class EngineRoom;
class HomeOwner;

/// How long an owner may be silent before it is taken for stopped.
inline constexpr Millis kPatience{2000};

/// Lives on its loop; leave() before it dies. If the journal can be written no more, the process ends with a message.
class HomeSession {
public:
    HomeSession(net::Loop& loop, const Output& output, std::filesystem::path home);
    HomeSession(const HomeSession&) = delete;
    HomeSession& operator=(const HomeSession&) = delete;
    ~HomeSession();

    /// A request that takes but a moment. Throws its Error; Error(unavailable) that names the owner when it does not answer.
    Async<boost::json::object> call(Request request);
    /// `drive` or `drive_all`; `seen` is the last event that `sink` was given, and may grow meanwhile.
    Async<boost::json::object> drive(Request request, LineSink& sink, const std::uint32_t& seen);

    /// For what only reads, whoever owns the home. Error(not_found) when there is no journal yet.
    engine::Commands& commands();
    /// The id that begins with `prefix`, as Commands::resolve().
    Async<Id> resolve(std::string prefix);
    Async<engine::TaskState> task(Id task);
    Async<std::string> cancel_reason(Id task);
    Async<std::vector<storage::TaskEntry>> tasks(storage::TaskQuery query);
    Async<std::vector<engine::NumberedEvent>> events(Id task);

    /// Lets what is under way of the task finish and then stops it; if this process owns the home, all tasks.
    Async<> settle(Id task);
    Async<> leave();

    const std::filesystem::path& home() const { return home_; }

private:
    /// Becomes the owner or connects to it.
    Async<> sit_down();
    Async<std::unique_ptr<ControlClient>> connect();
    EngineRoom& reading();
    void on_failure(const std::exception_ptr& failure);
    [[noreturn]] void owner_is_silent() const;

    net::Loop& loop_;
    const Output& output_;
    std::filesystem::path home_;
    std::unique_ptr<HomeOwner> owner_;
    std::unique_ptr<ControlClient> client_;
    std::unique_ptr<EngineRoom> reading_;  // for who does not own the home
};

}  // namespace cadre::cli
