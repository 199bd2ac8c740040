// Blocking work (files, processes, heavy computing) off the loop: `co_await on(pool, fn)`.
#pragma once

#include "base/async.hpp"
#include "base/wait.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace cadre {

class Pool {
public:
    virtual ~Pool() = default;
    /// Throws Error(unavailable) when its queue is full.
    virtual void submit(std::function<void()> work) = 0;
};

/// How much work may wait for a thread before more is refused.
inline constexpr std::size_t kPoolQueue = 4096;

/// Dies after the coroutines that use it and before the loops they run on. Dying, it finishes what runs and drops what
/// waits; then more is refused.
class ThreadPool final : public Pool {
public:
    explicit ThreadPool(std::size_t threads, std::size_t queue = kPoolQueue);
    ~ThreadPool() override;

    void submit(std::function<void()> work) override;

private:
    void serve();

    std::size_t capacity_;
    std::mutex mutex_;
    std::condition_variable work_ready_;
    std::deque<std::function<void()>> queue_;
    bool stopping_ = false;
    std::vector<std::jthread> threads_;
};

/// Runs the work on the loop itself, in a later turn: for the simulator, where threads would be chance.
class LoopPool final : public Pool {
public:
    explicit LoopPool(Loop& loop) : loop_(loop) {}
    void submit(std::function<void()> work) override { loop_.deliver(std::move(work)); }

private:
    Loop& loop_;
};

/// What loop and pool share of one call. The wait may die first; then the result is dropped.
struct PoolCall {
    virtual ~PoolCall() = default;
    virtual void perform() noexcept = 0;

    std::atomic<bool> claimed = false;  // by the thread that performs it, or by the cancellation that forestalls it
    class PoolWait* waiting = nullptr;  // the loop's only
};

class PoolWait : public Wait {
public:
    PoolWait(Pool& pool, std::shared_ptr<PoolCall> call) : pool_(pool), call_(std::move(call)) {}

protected:
    ~PoolWait()
    {
        call_->claimed = true;  // what has not begun never will
        call_->waiting = nullptr;
    }

private:
    bool arm() override;
    /// Work that has begun is awaited: it may use what the frame owns.
    bool withdraw() noexcept override { return !call_->claimed.exchange(true); }

    Pool& pool_;
    std::shared_ptr<PoolCall> call_;
};

template <class F>
class OnPool final : public PoolWait {
    using R = std::invoke_result_t<F&>;
    struct Nothing {};
    struct Call final : PoolCall {
        explicit Call(F f) : fn(std::move(f)) {}
        void perform() noexcept override
        {
            try {
                F once = std::move(fn);  // what it captured dies here, on this thread and before the coroutine goes on
                if constexpr (std::is_void_v<R>) {
                    once();
                } else {
                    result.emplace(once());
                }
            } catch (...) {
                failure = std::current_exception();
            }
        }
        F fn;
        std::optional<std::conditional_t<std::is_void_v<R>, Nothing, R>> result;
        std::exception_ptr failure;
    };

public:
    OnPool(Pool& pool, F fn) : OnPool(pool, std::make_shared<Call>(std::move(fn))) {}

    R await_resume()
    {
        this->finish();
        if (call_->failure) std::rethrow_exception(call_->failure);
        if constexpr (!std::is_void_v<R>) return std::move(*call_->result);
    }

private:
    OnPool(Pool& pool, std::shared_ptr<Call> call) : PoolWait(pool, call), call_(std::move(call)) {}

    std::shared_ptr<Call> call_;
};

/// Runs `fn` on the pool and resumes here with its result or its exception. Cancelled or destroyed before it began: it never
/// runs. Cancelled while it runs: it is awaited, so `fn` must end by itself. Destroyed while it runs: it goes on, so `fn`
/// owns its data.
///     auto text = co_await on(pool, [path] { return read_file(path); });
template <class F>
OnPool<F> on(Pool& pool, F fn)
{
    return OnPool<F>(pool, std::move(fn));
}

}  // namespace cadre
