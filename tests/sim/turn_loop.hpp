// TurnLoop: one of several loops on one virtual clock. The simulation says whose turn it is; a loop that never gets one is a
// process that hangs.
#pragma once

#include "base/loop.hpp"
#include "base/sim_loop.hpp"
#include "sim/chance.hpp"

#include <deque>
#include <functional>

namespace cadre::sim {

/// In which order what is ready runs.
enum class Order { in_order, shuffled, newest_first };

class TurnLoop final : public Loop {
public:
    TurnLoop(const ManualClock& clock, Chance& chance, Order order) : clock_(clock), chance_(chance), order_(order) {}

    const Clock& clock() const override { return clock_; }
    void deliver(std::function<void()> call) override { inbox_.push_back(std::move(call)); }
    /// Only the simulation turns loops.
    void run_until(const std::function<bool()>& done) override;

    bool ready() const { return !ready_.empty() || !inbox_.empty() || timers_.earliest() <= now(); }
    Instant next_timer() const { return timers_.earliest(); }
    /// Runs one of the things that are ready.
    void turn();

private:
    Job& choose();

    const ManualClock& clock_;
    Chance& chance_;
    Order order_;
    std::deque<std::function<void()>> inbox_;
};

}  // namespace cadre::sim
