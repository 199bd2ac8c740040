// Iterations: nodes that were entered, and turns of loops, that no effect has paid for yet (C-04). A model call pays for itself and for all
// of these around it; a tool call only where nothing before it in its node has paid. What does neither is free.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace cadre::engine {

/// Of one run. Scopes are paths with a slash behind them; the whole run's is empty.
class Iterations {
public:
    void owe(const std::string& scope) { ++owed_[scope]; }
    /// The scope has ended without anybody having paid.
    void forget(const std::string& scope) noexcept { owed_.erase(scope); }

    /// What lies around the effect at `path`.
    int owed_at(std::string_view path) const;
    void pay_at(std::string_view path);

private:
    std::map<std::string, int, std::less<>> owed_;
};

}  // namespace cadre::engine
