#include "net/loop.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>

namespace cadre::net {

namespace {

namespace asio = boost::asio;

/// Jobs run before sockets and timers get their turn again.
constexpr int kJobsPerTurn = 64;

}  // namespace

struct Loop::Asio {
    asio::io_context io{1};
    asio::steady_timer alarm{io};
};

Loop::Loop() : asio_(std::make_unique<Asio>())
{}

Loop::~Loop() = default;

asio::io_context& Loop::io()
{
    return asio_->io;
}

void Loop::deliver(std::function<void()> call)
{
    asio::post(io(), std::move(call));
}

void Loop::run_until(const std::function<bool()>& done)
{
    if (done()) return;
    auto stay = asio::make_work_guard(io());
    while (!done()) {
        if (io().stopped()) io().restart();
        io().run_one();
    }
}

bool Loop::poll_one()
{
    io().restart();
    return io().poll_one() > 0;
}

void Loop::on_ready() noexcept
{
    if (!running_jobs_) asio::post(io(), [this] { run_jobs(); });
}

void Loop::run_jobs() noexcept
{
    running_jobs_ = true;
    for (int i = 0; i < kJobsPerTurn; ++i) {
        Job* job = ready_.pop_front();
        if (!job) break;
        job->run();
    }
    running_jobs_ = false;
    if (!ready_.empty()) on_ready();
}

void Loop::on_earlier_timer()
{
    wait_for_timer();
}

void Loop::wait_for_timer()
{
    const Instant due = timers_.earliest();
    if (due >= alarm_due_) return;  // it rings early enough; most timers are stopped before their time
    alarm_due_ = due;
    asio_->alarm.expires_after(std::max(due - now(), Monotonic::duration::zero()));  // replaces the wait before it
    asio_->alarm.async_wait([this](const boost::system::error_code& error) {
        if (error) return;
        alarm_due_ = kNever;
        fire_timers();
    });
}

void Loop::fire_timers()
{
    while (Timer* timer = timers_.pop_due(now())) timer->fire();
    wait_for_timer();
}

}  // namespace cadre::net
