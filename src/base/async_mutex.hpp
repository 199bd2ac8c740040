// AsyncMutex: one coroutine of a loop at a time.
#pragma once

#include "base/async.hpp"
#include "base/signal.hpp"

#include <utility>

namespace cadre {

/// Outlives its locks and everyone who waits for one. `const auto lock = co_await mutex.lock();`
class AsyncMutex {
public:
    class [[nodiscard]] Lock {
    public:
        Lock(Lock&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}
        Lock& operator=(Lock&&) = delete;
        ~Lock()
        {
            if (mutex_) mutex_->release();
        }

    private:
        friend class AsyncMutex;
        explicit Lock(AsyncMutex& mutex) : mutex_(&mutex) {}

        AsyncMutex* mutex_;
    };

    Async<Lock> lock()
    {
        while (locked_) co_await released_.wait();
        locked_ = true;
        co_return Lock(*this);
    }
    /// Until nobody has it.
    Async<> until_free()
    {
        while (locked_) co_await released_.wait();
    }

private:
    void release() noexcept
    {
        locked_ = false;
        released_.notify();
    }

    bool locked_ = false;
    Signal released_;
};

}  // namespace cadre
