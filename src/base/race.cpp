#include "base/race.hpp"

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

Async<> Race::over()
{
    co_await finished(scope_);
    if (failure_) std::rethrow_exception(failure_);
}

Async<> Race::ends_others(Async<> work, bool by_ending)
{
    try {
        co_await std::move(work);
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
        if (!failure_) failure_ = std::current_exception();
    }
    if (by_ending || failure_) scope_.cancel();
}

}  // namespace cadre
