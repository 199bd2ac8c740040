// A command's way to the home, whoever owns it: this process if nobody else does, or the one that does. When the owner leaves, the
// command goes on with the next one, which may be this process.
#pragma once

#include "base/async_fwd.hpp"
#include "base/time.hpp"
#include "engine/hub.hpp"
#include "engine/task_state.hpp"
#include "home/control/control.hpp"
#include "home/runtime.hpp"
#include "net/loop.hpp"

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::engine {
class Commands;
}

namespace cadre::home {

class ControlClient;
class HomeOwner;

/// How long an owner may be silent before it is taken for stopped.
inline constexpr Millis kPatience{2000};

/// Who hears, on the loop, of what no request is about.
struct HomeLinkHooks {
    std::function<void(std::string_view warning)> warn{};
    /// The journal can be written no more: what it holds is whole, what is in memory is worth nothing. The process should end.
    std::function<void(const std::exception_ptr& failure)> journal_failed{};
};

/// Lives on its loop; leave() before it dies.
class HomeLink {
public:
    HomeLink(net::Loop& loop, RuntimeOptions options, HomeLinkHooks hooks);
    HomeLink(const HomeLink&) = delete;
    HomeLink& operator=(const HomeLink&) = delete;
    ~HomeLink();

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

    const std::filesystem::path& home() const { return options_.home; }
    const Place& place() const { return options_.place; }

private:
    /// Becomes the owner or connects to it.
    Async<> attach();
    Async<std::unique_ptr<ControlClient>> connect();
    Runtime& reading();
    [[noreturn]] void owner_is_silent() const;

    net::Loop& loop_;
    RuntimeOptions options_;
    HomeLinkHooks hooks_;
    std::unique_ptr<HomeOwner> owner_;
    std::unique_ptr<ControlClient> client_;
    std::unique_ptr<Runtime> reading_;  // for who does not own the home
};

}  // namespace cadre::home
