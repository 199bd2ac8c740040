// The machinery of Async, which compilers want to see. Not for use by name, and it may change with any release.
#pragma once

#include "cadre/async_fwd.hpp"
#include "cadre/export.hpp"

#include <cassert>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

namespace cadre {

/// What travels with a coroutine and is inherited by everything it awaits: its loop, cancel scope and deadline.
struct Context;

/// Told when a coroutine that nobody awaits has ended: a branch of a join, a child of an AsyncScope.
class CADRE_API Completion {
public:
    /// Runs inside the ended coroutine, whose frame must not be destroyed yet. Returns what to resume next.
    virtual std::coroutine_handle<> completed() noexcept = 0;

protected:
    ~Completion() = default;
};

/// What all promises share, whatever they promise.
class CADRE_API PromiseBase {
public:
    const Context* context() const { return context_; }
    const std::exception_ptr& failure() const { return failure_; }

    void continue_with(std::coroutine_handle<> continuation, const Context* context)
    {
        continuation_ = continuation;
        context_ = context;
    }
    void complete_with(Completion& completion, const Context* context)
    {
        completion_ = &completion;
        context_ = context;
    }

    /// Frames come and go all the time, in few sizes: they are kept for the next one (base/frames.cpp).
    static void* operator new(std::size_t size);
    static void operator delete(void* frame, std::size_t size) noexcept;

    std::suspend_always initial_suspend() const noexcept { return {}; }
    auto final_suspend() const noexcept { return Final{}; }
    void unhandled_exception() noexcept { failure_ = std::current_exception(); }

private:
    struct Final {
        bool await_ready() const noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept
        {
            PromiseBase& promise = ended.promise();
            return promise.completion_ ? promise.completion_->completed() : promise.continuation_;
        }
        void await_resume() const noexcept {}
    };

    const Context* context_ = nullptr;
    std::coroutine_handle<> continuation_;
    Completion* completion_ = nullptr;
    std::exception_ptr failure_;
};

template <class T>
class AsyncPromise : public PromiseBase {
public:
    Async<T> get_return_object() noexcept;
    template <class U>
    void return_value(U&& value)
    {
        value_.emplace(std::forward<U>(value));
    }
    T take()
    {
        if (failure()) std::rethrow_exception(failure());
        return std::move(*value_);
    }

private:
    std::optional<T> value_;
};

template <>
class AsyncPromise<void> : public PromiseBase {
public:
    Async<void> get_return_object() noexcept;
    void return_void() const noexcept {}
    void take() const
    {
        if (failure()) std::rethrow_exception(failure());
    }
};

template <class T>
class [[nodiscard]] Async {
public:
    using promise_type = AsyncPromise<T>;
    using Handle = std::coroutine_handle<promise_type>;

    Async() = default;
    explicit Async(Handle handle) : handle_(handle) {}
    Async(Async&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Async& operator=(Async&& other) noexcept
    {
        if (this != &other) destroy();
        handle_ = std::exchange(other.handle_, nullptr);
        return *this;
    }
    ~Async() { destroy(); }

    auto operator co_await() && noexcept { return awaiter(nullptr); }
    /// Awaits under another context than the awaiter's own; `context` outlives the wait.
    auto under(const Context& context) && noexcept { return awaiter(&context); }

    /// For joins and scopes, which start coroutines without awaiting them.
    Handle handle() const { return handle_; }

private:
    struct Awaiter {
        Handle child;
        const Context* context;

        bool await_ready() const noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> awaiting) const noexcept
        {
            child.promise().continue_with(awaiting, context ? context : awaiting.promise().context());
            return child;
        }
        T await_resume() const { return child.promise().take(); }
    };

    Awaiter awaiter(const Context* context) const noexcept
    {
        assert(handle_ && !handle_.done());  // moved from, or awaited before
        return {handle_, context};
    }
    void destroy() noexcept
    {
        if (handle_) handle_.destroy();
    }

    Handle handle_;
};

template <class T>
Async<T> AsyncPromise<T>::get_return_object() noexcept
{
    return Async<T>(std::coroutine_handle<AsyncPromise>::from_promise(*this));
}

inline Async<void> AsyncPromise<void>::get_return_object() noexcept
{
    return Async<void>(std::coroutine_handle<AsyncPromise>::from_promise(*this));
}

}  // namespace cadre
