// Sums in words and signs: "15% of 80", "what is 3 plus 4 times 2", as an expression that a calculator takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cadre::llm::local {

/// Nothing when no sum is asked for. Years, dates, ranges and numbers of orders are none.
std::optional<std::string> find_arithmetic(std::string_view text);

}  // namespace cadre::llm::local
