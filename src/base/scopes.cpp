#include "base/scopes.hpp"

#include <utility>

namespace cadre {

Async<> finished(AsyncScope& scope)
{
    bool cancelled = false;
    try {
        co_await scope.join();
    } catch (const Cancelled&) {
        cancelled = true;
    }
    if (!cancelled) co_return;
    co_await scope.close();
    throw Cancelled{};
}

Async<> ends_others(AsyncScope& scope, Async<> work, std::exception_ptr& failure, bool by_ending)
{
    try {
        co_await std::move(work);
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
        if (!failure) failure = std::current_exception();
    }
    if (by_ending || failure) scope.cancel();
}

}  // namespace cadre
