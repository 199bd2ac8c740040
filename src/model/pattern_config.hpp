// The settings of collaboration patterns: what `config` may hold, by type.
#pragma once

#include "model/type.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::model {

struct Entity;

struct ParallelConfig {
    std::vector<std::string> sync_points{"end"};

    bool operator==(const ParallelConfig&) const = default;
};

enum class VoteRule : std::uint8_t { majority, unanimous, weighted };
enum class Undecided : std::uint8_t { coordinator, fail };

struct ConsensusConfig {
    VoteRule rule = VoteRule::majority;
    Dict<double> weights{};  // of who has none: 1
    int timeout = 60;        // seconds
    int rounds = 1;
    std::optional<double> quorum{};  // weight of the votes that must be cast; null: more than half of all
    Undecided otherwise = Undecided::fail;

    bool operator==(const ConsensusConfig&) const = default;

    /// Of one vote.
    double weight_of(const std::string& agent) const;
    double weight_of(std::span<const std::string> agents) const;
};

std::span<const EnumName> names_of(const VoteRule*);
std::span<const EnumName> names_of(const Undecided*);

const Entity& describe(const ParallelConfig*);
const Entity& describe(const ConsensusConfig*);

}  // namespace cadre::model
