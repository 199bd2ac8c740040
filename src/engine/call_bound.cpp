#include "engine/call_bound.hpp"

#include "base/error.hpp"
#include "llm/model.hpp"

#include <algorithm>
#include <cmath>

namespace cadre::engine {

namespace {

/// Answers shorter than this are of no use: better wait until others give something back.
constexpr std::int64_t kLeastOutput = 256;
/// Of a model whose longest answer nobody knows.
constexpr std::int64_t kUsualOutput = 16'384;
constexpr double kNextToNothing = 1.0 / 64;

}  // namespace

CallBound bound_of(const llm::Model& model, const llm::Request& request, std::int64_t waiting, const Account& account,
                   double dearest)
{
    CallBound bound{.reserve = {.cost = dearest, .steps = 1}};
    const auto tokens = account.tokens_left();
    const auto money = account.cost_left();
    if (!tokens && !money) return bound;
    if (money && !model.is_priced())
        throw Error(Code::invalid,
                    "no price is known for " + model.spec() +
                        ", so a dollar budget cannot be enforced; write its prices into "
                        "config/providers.yaml, or take the budget in dollars away (--budget, or max_cost_usd "
                        "in cadre.yaml)");

    const auto prices = money ? model.prices() : std::nullopt;
    // counting takes time, and where the request is next to nothing of what is left, its bytes say enough
    double enough = static_cast<double>(tokens.value_or(1'000'000'000));
    if (prices && prices->input > 0) enough = std::min(enough, *money / prices->input);
    const std::int64_t input = model.most_input(request, static_cast<std::int64_t>(enough * kNextToNothing)) + waiting;
    const bool is_charged = prices && prices->output > 0;
    std::int64_t output = request.options.max_tokens.value_or(model.most_output().value_or(kUsualOutput));
    if (!request.options.max_tokens && (tokens || is_charged)) {
        std::int64_t affordable = output;
        if (tokens) affordable = std::min(affordable, *tokens - input);
        if (is_charged) {
            const double paid = (*money - static_cast<double>(input) * prices->input) / prices->output;
            affordable = std::min(affordable, static_cast<std::int64_t>(std::clamp(std::floor(paid), 0.0, 1e12)));
        }
        affordable = std::max(affordable, std::min(kLeastOutput, output));
        // where tokens abound the vendor need not hear of it: servers of one's own refuse numbers that they think too large
        if (is_charged || affordable < output) bound.max_output = affordable;
        output = affordable;
    }
    if (tokens) bound.reserve.tokens = input + output;
    if (prices)
        bound.reserve.cost = static_cast<double>(input) * prices->input + static_cast<double>(output) * prices->output;
    return bound;
}

}  // namespace cadre::engine
