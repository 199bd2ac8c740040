// AsyncScope: the owner of coroutines that nobody awaits on the spot. Nothing in Cadre is detached.
#pragma once

#include "base/async.hpp"
#include "base/cancel.hpp"
#include "base/loop.hpp"
#include "base/wait.hpp"

#include <coroutine>
#include <cstddef>
#include <exception>
#include <list>
#include <utility>

namespace cadre {

/// The last member of its class, so that it dies first. Lives on one loop.
///
/// `close()` cancels its children and waits for them; that is how a scope with I/O in flight must end. The destructor
/// destroys at once what still waits; that is how a parked run is put away.
class AsyncScope {
public:
    explicit AsyncScope(Loop& loop) : AsyncScope(Context{.loop = &loop}) {}
    /// Inside a coroutine: `AsyncScope scope(co_await this_context());` is cancelled with it and keeps its deadline.
    explicit AsyncScope(const Context& outer);
    AsyncScope(const AsyncScope&) = delete;
    AsyncScope& operator=(const AsyncScope&) = delete;
    ~AsyncScope();

    /// Starts `child` at once; returns when it first waits. In a cancelled scope its first wait throws.
    void spawn(Async<> child);

    void cancel() noexcept { scope_.cancel(); }
    bool cancelled() const { return scope_.cancelled(); }

    /// How many children have not ended.
    std::size_t size() const { return running_; }

    /// Waits until no child is left, then throws the first failure that a child let escape.
    Async<> join();
    /// cancel(), then join(); not itself cancellable.
    Async<> close();

    /// Throws, once, the first failure that a child let escape; cancellation is none.
    void rethrow_failure();

private:
    struct Child final : Completion, Job {
        Child(AsyncScope& s, Async<> w) : scope(s), work(std::move(w)) {}
        std::coroutine_handle<> completed() noexcept override;
        void run() noexcept override { scope.remove(*this); }

        AsyncScope& scope;
        Async<> work;
        std::list<Child>::iterator self{};
        bool starting = true;
    };

    class Empty final : public Wait, public Link<struct EmptyTag> {
    public:
        Empty(AsyncScope& scope, bool cancellable) : Wait(cancellable), scope_(scope) {}
        void await_resume() const { finish(); }
        using Wait::wake;

    private:
        bool arm() override;
        bool withdraw() noexcept override;

        AsyncScope& scope_;
    };

    void remove(Child& child) noexcept;
    void note_failure(const std::exception_ptr& failure) noexcept;

    CancelScope scope_;
    Context context_;
    std::exception_ptr failure_;
    std::size_t running_ = 0;
    LinkedList<Empty, EmptyTag> joiners_;
    std::list<Child> children_;  // last: children die before what they run under
};

}  // namespace cadre
