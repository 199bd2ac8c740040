#include "base/timeout.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace cadre {

bool SleepUntil::arm()
{
    if (due_ <= loop().now()) return false;
    loop().start(*this, due_);
    return true;
}

bool SleepUntil::withdraw() noexcept
{
    stop();
    return true;
}

bool Yield::arm()
{
    wake();
    return true;
}

Async<> sleep_for(Millis duration)
{
    const Context& context = co_await this_context();
    co_await sleep_until(later(context.loop->now(), duration));
}

Deadline::Deadline(const Context& outer, Instant due)
    : scope_(outer.scope), inner_{outer.loop, &scope_, std::min(due, outer.deadline)}
{
    if (due < outer.deadline) outer.loop->start(*this, due);
}

void Deadline::fire() noexcept
{
    expired_ = true;
    scope_.cancel();
}

void throw_timeout(const std::string& what, Millis limit)
{
    throw Error(Code::timeout, what + " timed out after " + to_text(limit));
}

}  // namespace cadre
