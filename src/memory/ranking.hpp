// In which order what was found is told: how well it fits, how fresh it is, and that no two say nearly the same.
#pragma once

#include "memory/shelf.hpp"

#include <cstddef>
#include <vector>

namespace cadre::memory {

inline constexpr double kUsualThreshold = 0.25;

struct Ranking {
    std::size_t limit = 8;
    double threshold = kUsualThreshold;  // of relevance; what has less is left out
};

/// Of what several searches found, those that are told, the best first. The same for the same candidates, whatever order they are in.
std::vector<Candidate> ranked(std::vector<Candidate> candidates, Time now, const Ranking& ranking);

}  // namespace cadre::memory
