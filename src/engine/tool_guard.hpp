// ToolGuard: keeps calls from tools that do not work, and from going out more at once than a tool bears. One for the whole process.
#pragma once

#include "base/async_fwd.hpp"
#include "base/breaker.hpp"
#include "base/signal.hpp"
#include "base/time.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace cadre::engine {

/// Lives on one loop.
class ToolGuard {
public:
    /// A call's place among those that may be under way at once; given back with it.
    class Place {
    public:
        Place() = default;
        Place(ToolGuard& guard, std::string tool) : guard_(&guard), tool_(std::move(tool)) {}
        Place(Place&& other) noexcept : guard_(std::exchange(other.guard_, nullptr)), tool_(std::move(other.tool_)) {}
        Place& operator=(Place&& other) noexcept
        {
            release();
            guard_ = std::exchange(other.guard_, nullptr);
            tool_ = std::move(other.tool_);
            return *this;
        }
        ~Place() { release(); }

        explicit operator bool() const { return guard_ != nullptr; }
        void release() noexcept
        {
            if (auto* guard = std::exchange(guard_, nullptr)) guard->leave(tool_);
        }

    private:
        ToolGuard* guard_ = nullptr;
        std::string tool_;
    };

    /// Without a breaker, what comes of a call does not depend on when others failed: for tests that compare.
    explicit ToolGuard(bool has_breaker = true) : has_breaker_(has_breaker) {}

    /// Waits until fewer than `most` calls of the tool are under way.
    Async<Place> enter(std::string tool, int most);

    /// Throws NotDispatched when the tool has failed too often to be asked again already. People know it as `name`.
    void expect_working(std::string_view tool, std::string_view name, Instant now);
    /// How a call ended: an answer that says no is one of a tool that works.
    void ended(std::string_view tool, bool worked, Instant now);
    void withdrawn(std::string_view tool);

private:
    struct State {
        Breaker breaker{};
        int under_way = 0;
    };
    void leave(std::string_view tool) noexcept;

    bool has_breaker_;
    std::map<std::string, State, std::less<>> tools_;
    Signal left_;
};

}  // namespace cadre::engine
