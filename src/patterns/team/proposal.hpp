// Proposal: what the agents of a consensus vote on, and what they are asked.
#pragma once

#include "patterns/team/tally.hpp"

#include <string>
#include <vector>

namespace cadre::model {
struct Entity;
}

namespace cadre::patterns {

struct Proposal {
    std::string id{};  // follows from where it is made, so it is the same in a replay
    std::string decision{};
    std::string reasoning{};

    bool operator==(const Proposal&) const = default;
};

/// How a coordinator breaks a tie.
struct Ruling {
    bool approves = false;
    std::string reasoning{};

    bool operator==(const Ruling&) const = default;
};

const model::Entity& describe(const Proposal*);
const model::Entity& describe(const Ruling*);

/// JSON Schemas of the answers.
extern const char* const kProposalSchema;
extern const char* const kRulingSchema;

std::string ballot_text(const Proposal& proposal);
/// For those who make the next proposal, or decide: what was proposed, and what everybody said to it.
std::string votes_text(const Proposal& proposal, const std::vector<Vote>& votes);
/// Why there is no decision: `no quorum; a: approve; b: abstain (no answer within 60 s)`.
std::string undecided_text(Outcome outcome, const std::vector<Vote>& votes);

}  // namespace cadre::patterns
