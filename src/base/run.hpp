// run(): from outside any coroutine into one: in main(), in tests.
#pragma once

#include "base/async.hpp"

#include <coroutine>

namespace cadre {

/// Starts the coroutine and turns the loop until it has ended; it must not have been started before.
void run_to_end(Loop& loop, std::coroutine_handle<> work, PromiseBase& promise);

/// Runs `work` on `loop` until it has ended; returns its result or throws what it threw, Cancelled too.
template <class T>
T run(Loop& loop, Async<T> work)
{
    run_to_end(loop, work.handle(), work.handle().promise());
    return work.handle().promise().take();
}

}  // namespace cadre
