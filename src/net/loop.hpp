// net::Loop: the loop of real programs, on Asio.
#pragma once

#include "base/loop.hpp"

#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace cadre::net {

/// Lives on the thread that calls run_until; deliver() is for the others. Sockets take io() as their executor. It outlives
/// the coroutines that run on it.
class Loop final : public cadre::Loop {
public:
    Loop();
    ~Loop();

    boost::asio::io_context& io();
    const Clock& clock() const override { return system_clock(); }

    void deliver(std::function<void()> call) override;
    void run_until(const std::function<bool()>& done) override;
    /// Does one thing that is ready without waiting for anything; false when there is none.
    bool poll_one();

private:
    void on_ready() noexcept override;
    void on_earlier_timer() override;
    void run_jobs() noexcept;
    void wait_for_timer();
    void fire_timers();

    struct Asio;
    std::unique_ptr<Asio> asio_;  // Asio's headers cost half a second, and most who have a loop need none of them
    Instant alarm_due_ = kNever;  // when the alarm rings
    bool running_jobs_ = false;
};

}  // namespace cadre::net
