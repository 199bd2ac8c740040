#include "model/pattern_config.hpp"

#include "model/describe.hpp"

namespace cadre::model {

std::span<const EnumName> names_of(const VoteRule*)
{
    static constexpr EnumName names[] = {{int(VoteRule::majority), "majority"},
                                         {int(VoteRule::unanimous), "unanimous"},
                                         {int(VoteRule::weighted), "weighted"}};
    return names;
}

std::span<const EnumName> names_of(const Undecided*)
{
    static constexpr EnumName names[] = {{int(Undecided::coordinator), "coordinator"}, {int(Undecided::fail), "fail"}};
    return names;
}

double ConsensusConfig::weight_of(const std::string& agent) const
{
    const double* weight = rule == VoteRule::weighted ? weights.find(agent) : nullptr;
    return weight ? *weight : 1;
}

double ConsensusConfig::weight_of(std::span<const std::string> agents) const
{
    double sum = 0;
    for (const std::string& agent : agents) sum += weight_of(agent);
    return sum;
}

const Entity& describe(const ParallelConfig*)
{
    static const Rule point{.min_length = 1, .max_length = 100};
    static const Entity entity{
        .name = "parallel_config",
        .doc = "Settings of a pattern of type `parallel`.",
        .fields = {field("sync_points", &ParallelConfig::sync_points,
                         "Where the agents wait for each other and hear what the others came to, in order.",
                         {.min_length = 1, .max_length = 100, .items = &point, .unique = true})},
        .example = R"({"sync_points":["draft","end"]})"};
    return entity;
}

const Entity& describe(const ConsensusConfig*)
{
    static const Rule weight{.min = 0, .max = 1e6};
    static const Entity entity{
        .name = "consensus_config",
        .doc = "Settings of a pattern of type `consensus`.",
        .fields = {field("rule", &ConsensusConfig::rule, "How the votes that are cast decide."),
                   field("weights", &ConsensusConfig::weights, "What votes count with the rule `weighted`; else 1.",
                         {.items = &weight}),
                   field("timeout", &ConsensusConfig::timeout, "Seconds until who has not voted abstains.",
                         {.min = 1, .max = 86400}),
                   field("rounds", &ConsensusConfig::rounds, "Proposals at most.", {.min = 1, .max = 20}),
                   field("quorum", &ConsensusConfig::quorum,
                         "What the votes that are cast must count together; null: more than half of all.",
                         {.above = 0}),
                   field("otherwise", &ConsensusConfig::otherwise,
                         "What happens when no proposal is accepted: the coordinator decides, or it fails.")},
        .example =
            R"({"rule":"weighted","weights":{"planner":2.0},"timeout":30,"rounds":2,"quorum":null,"otherwise":"fail"})"};
    return entity;
}

}  // namespace cadre::model
