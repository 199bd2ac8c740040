#include "engine/tool_guard.hpp"

#include "base/async.hpp"
#include "tools/tool.hpp"

namespace cadre::engine {

Async<ToolGuard::Place> ToolGuard::enter(std::string tool, int most)
{
    while (tools_[tool].under_way >= most) co_await left_.wait();
    ++tools_[tool].under_way;
    co_return Place(*this, std::move(tool));
}

void ToolGuard::leave(std::string_view tool) noexcept
{
    if (const auto place = tools_.find(tool); place != tools_.end()) --place->second.under_way;
    left_.notify();
}

void ToolGuard::expect_working(std::string_view tool, std::string_view name, Instant now)
{
    const auto place = tools_.find(tool);
    if (place == tools_.end() || place->second.breaker.may_pass(now)) return;
    const auto left = std::chrono::ceil<std::chrono::seconds>(place->second.breaker.opens_again() - now);
    throw tools::NotDispatched(Code::unavailable,
                               "circuit_open: " + std::string(name) +
                                   " has failed several times in a row and is not called for another " +
                                   std::to_string(std::max<std::int64_t>(left.count(), 1)) + " s");
}

void ToolGuard::ended(std::string_view tool, bool worked, Instant now)
{
    const auto place = tools_.find(tool);
    if (!has_breaker_ || (worked && place == tools_.end())) return;  // most tools never fail
    Breaker& breaker = place == tools_.end() ? tools_[std::string(tool)].breaker : place->second.breaker;
    if (worked) breaker.succeeded();
    else breaker.failed(now);
}

void ToolGuard::withdrawn(std::string_view tool)
{
    if (const auto place = tools_.find(tool); place != tools_.end()) place->second.breaker.withdrawn();
}

}  // namespace cadre::engine
