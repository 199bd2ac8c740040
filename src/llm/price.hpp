// What tokens cost.
#pragma once

#include "model/providers.hpp"

#include <cstdint>
#include <optional>

namespace cadre::llm {

/// Tokens as vendors bill them.
struct Billed {
    std::int64_t input = 0;        // all that was read
    std::int64_t cached = 0;       // of input: was still known
    std::int64_t cache_write = 0;  // of input: was put into a cache
    std::int64_t output = 0;

    bool operator==(const Billed&) const = default;
};

/// US dollars; nothing when a price that is needed is not known.
std::optional<double> cost_of(const model::ProviderModel& model, const Billed& billed);

/// The most that so many tokens can cost, whatever is cached.
std::optional<double> most_cost(const model::ProviderModel& model, std::int64_t input, std::int64_t output);

}  // namespace cadre::llm
