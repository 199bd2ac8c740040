// What of a task's history is its short-term memory: what was said last, as far as it fits.
#pragma once

#include "model/step.hpp"

#include <cstdint>
#include <span>

namespace cadre::engine {

struct ShortTerm {
    std::span<const model::Step> steps{};  // the last ones
    std::int64_t tokens = 0;               // of their texts, estimated
};
/// The last step belongs to it even where it is too long.
ShortTerm short_term(std::span<const model::Step> history, std::int64_t limit);

}  // namespace cadre::engine
