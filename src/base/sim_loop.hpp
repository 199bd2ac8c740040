// SimLoop: a loop on virtual time whose scheduling is drawn from a seed. One seed, one interleaving.
#pragma once

#include "base/loop.hpp"
#include "base/random.hpp"

#include <cstdint>
#include <deque>
#include <functional>

namespace cadre {

/// A clock that moves when told to.
class ManualClock final : public Clock {
public:
    explicit ManualClock(Time start = Time{} + std::chrono::years{50}) : start_(start) {}

    Time now() const override { return start_ + std::chrono::floor<Millis>(passed_ + offset_); }
    Instant instant() const override { return Instant{} + passed_; }

    void advance(Monotonic::duration by) { passed_ += by; }
    /// Sets the wall clock forward or back; deadlines must not care.
    void jump(Millis by) { offset_ += by; }

private:
    Time start_;
    Monotonic::duration passed_{};
    Millis offset_{};
};

/// Everything happens on the calling thread. Time stands still while anything is ready, then jumps to the next timer.
class SimLoop final : public Loop {
public:
    /// Without a seed, ready jobs run first in, first out.
    SimLoop() = default;
    explicit SimLoop(std::uint64_t seed) : random_(seed), shuffled_(true) {}

    const Clock& clock() const override { return clock_; }
    ManualClock& manual_clock() { return clock_; }

    void deliver(std::function<void()> call) override { inbox_.push_back(std::move(call)); }

    /// Throws Error(internal) when nothing can ever happen again and it is not done: a lost wake-up.
    void run_until(const std::function<bool()>& done) override;

    /// Runs one ready job, delivery or timer; false when there is none.
    bool step();
    /// Runs what is ready now, without moving time. Returns how much there was.
    std::size_t settle();

private:
    bool run_ready();
    bool run_timer();
    Job* choose();

    ManualClock clock_;
    SeededRandom random_{0};
    bool shuffled_ = false;
    std::deque<std::function<void()>> inbox_;
};

}  // namespace cadre
