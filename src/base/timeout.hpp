// Waiting for time: sleeping, and giving an operation only so much of it.
#pragma once

#include "base/async.hpp"
#include "base/cancel.hpp"
#include "base/wait.hpp"

#include <string>
#include <utility>

namespace cadre {

/// Wakes at `due`, not before.
class SleepUntil final : public Wait, Timer {
public:
    explicit SleepUntil(Instant due) : due_(due) {}
    void await_resume() const { finish(); }

private:
    bool arm() override;
    bool withdraw() noexcept override;
    void fire() noexcept override { wake(); }

    Instant due_;
};

inline SleepUntil sleep_until(Instant due)
{
    return SleepUntil(due);
}
Async<> sleep_for(Millis duration);

/// Lets everything else that is ready run first; a place where cancellation can arrive.
class Yield final : public Wait {
public:
    void await_resume() const { finish(); }

private:
    bool arm() override;
    bool withdraw() noexcept override { return false; }
};

inline Yield yield()
{
    return {};
}

/// A nested scope that is cancelled when its time is over. The earliest deadline wins: when the context's own comes
/// first, this one never fires.
class Deadline final : Timer {
public:
    Deadline(const Context& outer, Instant due);

    const Context& context() const { return inner_; }
    bool expired() const { return expired_; }

private:
    void fire() noexcept override;

    CancelScope scope_;
    Context inner_;
    bool expired_ = false;
};

[[noreturn]] void throw_timeout(const std::string& what, Millis limit);

/// Awaits `operation` for at most `limit`. When time is up it is cancelled *and awaited*; then Error(timeout) names `what`.
/// An operation that ends well all the same is not thrown away.
///     auto reply = co_await with_timeout(model.complete(std::move(prompt)), 30s, "model " + name);
template <class T>
Async<T> with_timeout(Async<T> operation, Millis limit, std::string what)
{
    const Context& outer = co_await this_context();
    Deadline deadline(outer, later(outer.loop->now(), limit));
    Async<T> inner = std::move(operation);  // declared after the deadline: it dies before what it runs under
    try {
        co_return co_await std::move(inner).under(deadline.context());
    } catch (const Cancelled&) {
        if (!deadline.expired() || (outer.scope && outer.scope->cancelled())) throw;
    }
    throw_timeout(what, limit);
}

}  // namespace cadre
