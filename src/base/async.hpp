// What coroutines run under. Async itself is in include/cadre/async.hpp, because those who write patterns see it.
#pragma once

#include "base/async_fwd.hpp"
#include "base/time.hpp"
#include "cadre/async.hpp"

#include <coroutine>

namespace cadre {

class CancelScope;
class Loop;

/// What travels with a coroutine and is inherited by everything it awaits. Its owner outlives the coroutines under it.
struct Context {
    Loop* loop = nullptr;
    CancelScope* scope = nullptr;
    Instant deadline = kNever;  // set by Deadline alone, which also sees to it (base/timeout.hpp)
};

/// `co_await this_context()`: the context of the coroutine that says it. Never waits.
class ThisContext {
public:
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept
    {
        context_ = awaiting.promise().context();
        return false;
    }
    const Context& await_resume() const noexcept { return *context_; }

private:
    const Context* context_ = nullptr;
};

inline ThisContext this_context()
{
    return {};
}

}  // namespace cadre
