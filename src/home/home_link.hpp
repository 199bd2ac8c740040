// A command's way to the home, whoever owns it: this process if nobody else does, or the one that does. When the owner leaves, the
// command goes on with the next one, which may be this process.
#pragma once

#include "base/async_fwd.hpp"
#include "base/time.hpp"
#include "engine/queries.hpp"
#include "home/requests.hpp"
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

namespace cadre::home {

class ControlClient;
class HomeOwner;
class Listener;

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
    HomeLink(net::Loop& loop, engine::Principal who, RuntimeOptions options, HomeLinkHooks hooks);
    HomeLink(const HomeLink&) = delete;
    HomeLink& operator=(const HomeLink&) = delete;
    ~HomeLink();

    /// Becomes the owner or connects to it. What is asked does that by itself; who reads a journal first, and then asks the owner to
    /// continue it, has it read once that way.
    Async<> attach();
    /// A request of home/requests.hpp that takes but a moment. Throws its Error; Error(unavailable) that names the owner when it does
    /// not answer.
    template <class Request>
    Async<typename Request::Answer> call(Request request);
    /// One that tells what happens; `seen` is the number of the last event that `listener` was given, and may grow meanwhile.
    Async<AtRest> drive(Drive request, Listener& listener, const std::uint32_t& seen);
    Async<DrivenTasks> drive_all(Listener& listener);

    /// For what only reads, whoever owns the home. Error(not_found) when there is no journal yet.
    engine::Queries& queries();
    /// The same for the person who is here.
    Async<Id> resolve(std::string prefix);
    Async<std::shared_ptr<const engine::TaskState>> task(Id task);
    Async<std::vector<storage::TaskEntry>> tasks(storage::TaskQuery query);

    /// Lets what is under way of the task finish and then stops it; if this process owns the home, all tasks.
    Async<> settle(Id task);
    Async<> leave();

    /// The person who is here.
    const engine::Principal& who() const { return who_; }
    const std::filesystem::path& home() const { return options_.home; }
    const Place& place() const { return options_.place; }

private:
    Async<std::unique_ptr<ControlClient>> connect();
    template <class Request>
    Async<std::optional<typename Request::Answer>> ask(ControlClient& owner, const Request& request,
                                                       Listener* listener = nullptr);
    [[noreturn]] void owner_is_silent() const;

    net::Loop& loop_;
    engine::Principal who_;
    RuntimeOptions options_;
    HomeLinkHooks hooks_;
    std::unique_ptr<HomeOwner> owner_;
    std::unique_ptr<ControlClient> client_;
    std::unique_ptr<storage::Store> store_;  // for who does not own the home, and only reads
    std::unique_ptr<engine::Queries> queries_;
};

}  // namespace cadre::home
