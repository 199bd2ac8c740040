#include "sim/turn_loop.hpp"

#include "base/error.hpp"

#include <utility>

namespace cadre::sim {

namespace {

constexpr std::uint64_t kReach = 8;  // how far back a shuffled choice looks

}  // namespace

void TurnLoop::run_until(const std::function<bool()>&)
{
    throw Error(Code::internal, "the simulation turns this loop");
}

void TurnLoop::turn()
{
    enum { job, call, timer };
    int kinds[3];
    std::size_t count = 0;
    if (!ready_.empty()) kinds[count++] = job;
    if (!inbox_.empty()) kinds[count++] = call;
    if (timers_.earliest() <= now()) kinds[count++] = timer;
    if (count == 0) return;
    switch (order_ == Order::in_order ? kinds[0] : kinds[chance_.below(count)]) {
    case job: {
        Job& chosen = choose();
        chosen.unlink();
        chosen.run();
        break;
    }
    case call: {
        const auto chosen = std::move(inbox_.front());
        inbox_.pop_front();
        chosen();
        break;
    }
    case timer: timers_.pop_due(now())->fire(); break;
    }
}

Job& TurnLoop::choose()
{
    Job* chosen = ready_.front();
    if (order_ == Order::in_order) return *chosen;
    auto skip = order_ == Order::shuffled ? chance_.below(kReach) : kReach;
    for (; skip > 0; --skip) {
        Job* next = ready_.after(*chosen);
        if (!next) break;
        chosen = next;
    }
    return *chosen;
}

}  // namespace cadre::sim
