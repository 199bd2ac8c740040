// Coroutines that run at the same time and end together, and what is done however a coroutine ends.
#pragma once

#include "base/async.hpp"
#include "base/async_scope.hpp"

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace cadre {

/// Lives in the coroutine that waits for it: `Race race(co_await this_context()); race.add(a()); race.add(b()); co_await race.over();`
class Race {
public:
    explicit Race(const Context& outer) : scope_(outer) {}
    Race(const Race&) = delete;
    Race& operator=(const Race&) = delete;

    /// Begins at once. When it ends or fails, the others are cancelled.
    void add(Async<> work) { scope_.spawn(ends_others(std::move(work), true)); }
    /// The same, but only its failure ends the others.
    void beside(Async<> work) { scope_.spawn(ends_others(std::move(work), false)); }

    /// Waits for all of them, also when the caller is cancelled meanwhile; then throws the first failure.
    Async<> over();

private:
    Async<> ends_others(Async<> work, bool by_ending);

    std::exception_ptr failure_;
    AsyncScope scope_;  // last: its children use the others
};

/// Waits for what is left in the scope; when the caller is cancelled meanwhile, cancels it and waits all the same.
Async<> finished(AsyncScope& scope);

/// What `work` comes to, once `cleanup` was done too, however `work` ended. A failure of `work` is the one that is thrown.
template <class T>
Async<T> finally(Async<T> work, Async<> cleanup)
{
    std::exception_ptr failure;
    std::conditional_t<std::is_void_v<T>, char, std::optional<T>> result{};
    try {
        if constexpr (std::is_void_v<T>) co_await std::move(work);
        else result = co_await std::move(work);
    } catch (...) {
        failure = std::current_exception();
    }
    try {
        co_await std::move(cleanup);
    } catch (...) {
        if (!failure) failure = std::current_exception();
    }
    if (failure) std::rethrow_exception(failure);
    if constexpr (!std::is_void_v<T>) co_return std::move(*result);
}

}  // namespace cadre
