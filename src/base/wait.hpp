// Wait: base of every leaf that a coroutine can wait for. It ends once, by its event or by cancellation, and resumes the
// coroutine through the loop, never from inside the caller that woke it.
#pragma once

#include "base/async.hpp"
#include "base/cancel.hpp"
#include "base/loop.hpp"

#include <coroutine>

namespace cadre {

/// A temporary of the waiting coroutine's frame. Derived classes add how they are registered with what they wait for, in
/// members that unregister by dying, and an `await_resume` that calls `finish()` first.
class Wait : Job, CancelListener {
public:
    bool await_ready() const noexcept { return false; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiting)
    {
        return suspend(waiting, *waiting.promise().context());
    }

protected:
    /// `cancellable` false: the wait begins and goes on whether or not its scope is cancelled.
    explicit Wait(bool cancellable = true) : cancellable_(cancellable) {}
    ~Wait() = default;

    /// Registers with what will call wake() or resume(). False: there is nothing to wait for. May throw.
    virtual bool arm() = 0;
    /// Cancellation: true if the wait ends here and now, false if its event will still come, and soon.
    virtual bool withdraw() noexcept = 0;

    /// The event has happened; later calls do nothing.
    void wake() noexcept;
    /// The event has happened, on the loop: resumes at once, or does not wait at all when called from inside arm(). May
    /// destroy this object.
    void resume() noexcept;
    /// Throws Cancelled if that is how the wait ended.
    void finish() const;

    bool waiting() const { return state_ == State::waiting; }
    Loop& loop() const { return *context_->loop; }

private:
    enum class State : unsigned char { idle, arming, waiting, woken, cancelled };

    bool suspend(std::coroutine_handle<> waiting, const Context& context);
    void run() noexcept override { handle_.resume(); }
    void on_cancel() noexcept override;

    std::coroutine_handle<> handle_;
    const Context* context_ = nullptr;
    State state_ = State::idle;
    bool cancellable_;
    bool resumed_in_arm_ = false;
};

}  // namespace cadre
