// Core: an engine's thread and the way to it. Calls from other threads are handed to its loop, and wait for what comes of them.
#pragma once

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/pool.hpp"
#include "base/signal.hpp"
#include "cadre/engine.hpp"
#include "engine/run.hpp"
#include "library/backend.hpp"
#include "library/reader.hpp"
#include "library/translated.hpp"
#include "net/loop.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace cadre::library {

/// Who hears of a task's events by a function.
struct Listener {
    Id task{};
    std::uint32_t heard = 0;  // number of the last event
};

/// What lives on the engine's thread and dies there.
struct Floor {
    explicit Floor(const EngineOptions& options) : backend(loop, options), scope(loop) {}

    net::Loop loop;
    Backend backend;
    ThreadPool listening{4};  // not the tools': a listener may wait for them
    std::map<std::size_t, std::unique_ptr<Reader>> readers;
    std::list<Listener> listeners;
    Signal heard;
    bool stopping = false;
    Signal stop;
    AsyncScope scope;  // last: what it spawned uses all of the above
};

/// Whether this thread is the one on which a listener of that task is being called.
bool is_listening_to(const Id& task);

/// For all threads. stop() before it dies, which no thread of its own does.
class Core : public std::enable_shared_from_this<Core> {
public:
    /// Throws Failure when the engine cannot begin.
    explicit Core(const EngineOptions& options);
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;
    ~Core();

    /// Calls that are under way fail, and so do all that come later.
    void stop() noexcept;

    /// Has `work` done on the engine's thread, and waits for it.
    template <class Work>
    auto call(Work work)
    {
        using T = engine::AsyncValue<std::invoke_result_t<Work&, Floor&>>;
        auto promise = std::make_shared<std::promise<T>>();
        auto result = promise->get_future();
        post([work = std::move(work), promise](Floor& floor) {
            floor.scope.spawn(answered<T>(floor, std::function<Async<T>(Floor&)>(work), promise));
        });
        return translated([&] { return result.get(); });
    }
    /// The same for what takes no time.
    template <class Act>
    auto act(Act act)
    {
        using T = std::invoke_result_t<Act&, Floor&>;
        return call([act = std::move(act)](Floor& floor) { return done<T>(floor, act); });
    }

    // ---- what more than one class of the public headers needs ----

    Task start(const std::string& name, Agent agent, std::string prompt, StartOptions options);
    Task task(const Id& id) { return Task(shared_from_this(), to_string(id), nullptr); }
    std::unique_ptr<Feed> open_feed(const Id& task, std::uint32_t after);
    void listen(const Id& task, std::unique_ptr<Feed> feed, std::function<void(const Event&)> on_event);
    /// Until the task rests, and listeners have heard so.
    static Async<Outcome> until_rest(Floor& floor, Id task, bool heard);

    void use_model(std::string spec);

private:
    friend class Feed;

    std::size_t next_reader();
    void post(std::function<void(Floor&)> act);
    void work(const EngineOptions& options, std::promise<void>& begun);
    static Async<> serve(Floor& floor);
    static Async<> begin(Floor& floor, engine::CreateTask create, std::size_t reader);
    static Async<> tell(Floor& floor, Id task, std::unique_ptr<Reader> reader,
                        std::function<void(const Event&)> on_event);

    template <class T>
    static Async<> answered(Floor& floor, std::function<Async<T>(Floor&)> work,
                            std::shared_ptr<std::promise<T>> promise)
    {
        try {
            if constexpr (std::is_void_v<T>) {
                co_await work(floor);
                promise->set_value();
            } else {
                promise->set_value(co_await work(floor));
            }
        } catch (...) {
            promise->set_exception(std::current_exception());
        }
    }
    template <class T>
    static Async<T> done(Floor& floor, std::function<T(Floor&)> act)
    {
        if constexpr (std::is_void_v<T>) {
            act(floor);
            co_return;
        } else {
            co_return act(floor);
        }
    }

    Limits limits_;
    bool has_project_ = false;
    std::mutex mutex_;
    std::string model_;        // guarded by it
    Floor* floor_ = nullptr;   // guarded by it; null: the engine has stopped
    std::size_t readers_ = 0;  // guarded by it
    std::thread::id worker_;   // set before anybody calls
    std::thread thread_;
};

/// A user's hold on a reader, which lives on the engine's thread.
class Feed {
public:
    Feed(std::shared_ptr<Core> core, std::size_t reader) : core_(std::move(core)), reader_(reader) {}
    Feed(const Feed&) = delete;
    Feed& operator=(const Feed&) = delete;
    ~Feed();

    std::optional<Event> next(Until until);
    std::size_t reader() const { return reader_; }

private:
    std::shared_ptr<Core> core_;
    std::size_t reader_;
};

/// A feed that was opened before its task began, for the first who asks.
struct Opening {
    std::unique_ptr<Feed> take()
    {
        const std::lock_guard lock(mutex);
        return std::move(feed);
    }

    std::mutex mutex{};
    std::unique_ptr<Feed> feed{};
};

}  // namespace cadre::library
