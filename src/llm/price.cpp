#include "llm/price.hpp"

#include <algorithm>

namespace cadre::llm {

namespace {

constexpr double kMillion = 1e6;

}  // namespace

std::optional<double> cost_of(const model::ProviderModel& model, const Billed& billed)
{
    if (!model.input_price || !model.output_price) return std::nullopt;
    const bool is_long = model.long_from && billed.input > *model.long_from;
    const double in = (is_long ? model.long_input_factor : 1) / kMillion;
    const double out = (is_long ? model.long_output_factor : 1) / kMillion;
    const auto plain = static_cast<double>(billed.input - billed.cached - billed.cache_write);
    return plain * *model.input_price * in +
           static_cast<double>(billed.cached) * model.cached_price.value_or(*model.input_price) * in +
           static_cast<double>(billed.cache_write) * model.cache_write_price.value_or(*model.input_price) * in +
           static_cast<double>(billed.output) * *model.output_price * out;
}

std::optional<double> most_cost(const model::ProviderModel& model, std::int64_t input, std::int64_t output)
{
    const auto plain = cost_of(model, {.input = input, .output = output});
    const auto cached = cost_of(model, {.input = input, .cached = input, .output = output});
    const auto written = cost_of(model, {.input = input, .cache_write = input, .output = output});
    if (!plain) return std::nullopt;
    return std::max({*plain, *cached, *written});
}

}  // namespace cadre::llm
