// Tally: what the votes on a proposal come to.
#pragma once

#include "patterns/team/vote.hpp"

#include <cstdint>
#include <vector>

namespace cadre::model {
struct ConsensusConfig;
}

namespace cadre::patterns {

enum class Outcome : std::uint8_t { accepted, rejected, tie, no_quorum };

/// Who abstains does not count, but may be missed: without a quorum of votes that are cast there is no decision. `votes` has one
/// of each agent.
Outcome tally(const model::ConsensusConfig& terms, const std::vector<Vote>& votes);

}  // namespace cadre::patterns
