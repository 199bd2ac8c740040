// A loop for tests with real threads. This room cannot have net::Loop, which stands on the same shelf.
#pragma once

#include "base/error.hpp"
#include "base/loop.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

namespace cadre::storage {

/// Jobs and deliveries; timers never fire.
class InboxLoop final : public Loop {
public:
    const Clock& clock() const override { return system_clock(); }

    void deliver(std::function<void()> call) override
    {
        {
            const std::lock_guard lock(mutex_);
            inbox_.push_back(std::move(call));
        }
        arrived_.notify_one();
    }

    /// Throws Error(timeout) when nothing comes for so long that nothing will.
    void run_until(const std::function<bool()>& done) override
    {
        while (!done()) step();
    }

    /// Runs what is ready, without waiting.
    void settle()
    {
        while (run_job() || run_call(std::chrono::seconds(0))) {}
    }

private:
    void step()
    {
        if (!run_job() && !run_call(std::chrono::seconds(60))) throw Error(Code::timeout, "nothing happens any more");
    }
    bool run_job()
    {
        Job* job = ready_.pop_front();
        if (job) job->run();
        return job != nullptr;
    }
    bool run_call(std::chrono::seconds patience)
    {
        std::function<void()> call;
        {
            std::unique_lock lock(mutex_);
            if (!arrived_.wait_for(lock, patience, [this] { return !inbox_.empty(); })) return false;
            call = std::move(inbox_.front());
            inbox_.pop_front();
        }
        call();
        return true;
    }

    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<std::function<void()>> inbox_;
};

}  // namespace cadre::storage
