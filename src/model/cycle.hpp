// Cycles among named things that point at each other.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {

struct Arc {
    std::string_view from;
    std::string_view to;
};

/// One closed walk, its first name repeated at the end (`a`, `b`, `a`); nothing if there is none.
std::optional<std::vector<std::string>> find_cycle(std::span<const Arc> arcs);

/// For people: `a → b → a`.
std::string cycle_text(std::span<const std::string> cycle);

}  // namespace cadre::model
