#include "base/sim_loop.hpp"

#include "base/error.hpp"

namespace cadre {

void SimLoop::run_until(const std::function<bool()>& done)
{
    while (!done())
        if (!step()) throw Error(Code::internal, "the simulated loop has nothing left to run: a wake-up was lost");
}

bool SimLoop::step()
{
    return run_ready() || run_timer();
}

std::size_t SimLoop::settle()
{
    std::size_t count = 0;
    while (run_ready()) ++count;
    return count;
}

bool SimLoop::run_ready()
{
    const bool deliver_first = !inbox_.empty() && (ready_.empty() || !shuffled_ || random_.below(2) == 0);
    if (deliver_first) {
        auto call = std::move(inbox_.front());
        inbox_.pop_front();
        call();
        return true;
    }
    Job* job = choose();
    if (!job) return false;
    job->unlink();
    job->run();
    return true;
}

bool SimLoop::run_timer()
{
    const Instant due = timers_.earliest();
    if (due == kNever) return false;
    if (due > now()) clock_.advance(due - now());
    if (Timer* timer = timers_.pop_due(now())) timer->fire();
    return true;
}

/// One of the first few ready jobs: far enough to reorder everything, near enough to stay cheap.
Job* SimLoop::choose()
{
    Job* job = ready_.front();
    if (!job || !shuffled_) return job;
    for (auto skip = random_.below(8); skip > 0; --skip)
        if (Job* next = ready_.after(*job)) job = next;
    return job;
}

}  // namespace cadre
