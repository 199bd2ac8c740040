// The loop: where coroutines run and where their time comes from. Real programs use net::Loop, tests and the simulator
// SimLoop. One loop belongs to one thread; only deliver() may be called from others.
#pragma once

#include "base/linked.hpp"
#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace cadre {

/// Something to run once, soon. A job that dies before its turn is forgotten.
class Job : public Link<struct ReadyTag> {
public:
    virtual void run() noexcept = 0;

protected:
    ~Job() = default;
};

class TimerQueue;

/// Fires once at its time. A timer that dies first is forgotten.
class Timer {
public:
    Timer() = default;
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    virtual void fire() noexcept = 0;
    void stop() noexcept;

protected:
    ~Timer() { stop(); }

private:
    friend class TimerQueue;
    TimerQueue* queue_ = nullptr;
    std::size_t place_ = 0;
    Instant due_{};
    std::uint64_t order_ = 0;
};

/// A heap of timers, earliest first; equal times fire in the order in which they were added.
class TimerQueue {
public:
    TimerQueue() = default;
    TimerQueue(const TimerQueue&) = delete;
    TimerQueue& operator=(const TimerQueue&) = delete;
    ~TimerQueue();

    void add(Timer& timer, Instant due);
    void remove(Timer& timer) noexcept;
    Instant earliest() const { return heap_.empty() ? kNever : heap_.front()->due_; }
    /// Takes the earliest timer out if its time has come.
    Timer* pop_due(Instant now) noexcept;

private:
    static bool before(const Timer& a, const Timer& b);
    void put(std::size_t place, Timer& timer) noexcept;
    void sift(std::size_t place) noexcept;

    std::vector<Timer*> heap_;
    std::uint64_t next_order_ = 0;
};

class Loop {
public:
    virtual ~Loop() = default;

    virtual const Clock& clock() const = 0;
    Instant now() const { return clock().instant(); }

    /// Runs `job` after what is running now.
    void post(Job& job) noexcept;
    /// Fires `timer` when its time has come, never before.
    void start(Timer& timer, Instant due);
    /// Runs `call` on this loop. From any thread; what has not run when the loop dies never runs.
    virtual void deliver(std::function<void()> call) = 0;

    /// Runs jobs and timers until `done`, which is asked after each turn.
    virtual void run_until(const std::function<bool()>& done) = 0;

protected:
    /// A first job is ready; the loop must not go on waiting.
    virtual void on_ready() noexcept {}
    /// The earliest timer is an earlier one now.
    virtual void on_earlier_timer() {}

    LinkedList<Job, ReadyTag> ready_;
    TimerQueue timers_;
};

}  // namespace cadre
