// net::Loop: the loop of real programs, on Asio.
#pragma once

#include "base/loop.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>

namespace cadre::net {

/// Lives on the thread that calls run_until; deliver() is for the others. Sockets take io() as their executor. It outlives
/// the coroutines that run on it.
class Loop final : public cadre::Loop {
public:
    Loop();

    boost::asio::io_context& io() { return io_; }
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

    boost::asio::io_context io_;
    boost::asio::steady_timer alarm_;
    Instant alarm_due_ = kNever;  // when it rings
    bool running_jobs_ = false;
};

}  // namespace cadre::net
