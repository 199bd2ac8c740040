#include "patterns/team/tally.hpp"

#include "model/pattern_config.hpp"

#include <cmath>

namespace cadre::patterns {

namespace {

/// Weights like 0.1 have no exact sum.
int compare_weights(double a, double b)
{
    constexpr double kSame = 1e-9;
    if (std::abs(a - b) <= kSame * std::max(std::abs(a), std::abs(b))) return 0;
    return a < b ? -1 : 1;
}

}  // namespace

Outcome tally(const model::ConsensusConfig& terms, const std::vector<Vote>& votes)
{
    double all = 0, approving = 0, rejecting = 0;
    for (const Vote& vote : votes) {
        const double weight = terms.weight_of(vote.agent);
        all += weight;
        if (vote.choice == Choice::approve) approving += weight;
        if (vote.choice == Choice::reject) rejecting += weight;
    }
    const double cast = approving + rejecting;
    const bool is_quorate =
        terms.quorum ? compare_weights(cast, *terms.quorum) >= 0 : compare_weights(2 * cast, all) > 0;
    if (!is_quorate || cast <= 0) return Outcome::no_quorum;
    if (terms.rule == model::VoteRule::unanimous) return rejecting > 0 ? Outcome::rejected : Outcome::accepted;
    const int more = compare_weights(approving, rejecting);
    return more > 0 ? Outcome::accepted : more < 0 ? Outcome::rejected : Outcome::tie;
}

}  // namespace cadre::patterns
