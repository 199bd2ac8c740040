// Comparing two runs: where they first differ, and what each step came to on either side. Plain functions of journals.
#pragma once

#include "base/time.hpp"
#include "storage/record.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cadre::engine {

/// What one run made of a step.
struct StepSide {
    std::string who{};   // agent or tool
    std::string text{};  // what came of it: words, calls, a result, an answer, an error; empty: it has not ended
    std::int64_t tokens = 0;
    double cost = 0;
    Millis time{0};
    bool ended = false;
    bool reused = false;  // taken over from the run that this one is a fork of
};

struct ComparedStep {
    std::string path{};
    std::string effect{};         // think, use, ask, …
    std::optional<StepSide> a{};  // nothing: it has no such step
    std::optional<StepSide> b{};
    std::vector<std::string>
        differs{};  // parts of the request by name, and `outcome`; empty although one side is missing

    bool same() const { return a && b && differs.empty(); }
};

struct Comparison {
    std::vector<std::string> task{};     // what of the tasks themselves differs: prompt, agent, model, team, pattern
    std::vector<ComparedStep> steps{};   // in the order of `a`; what only `b` has stands where it has it
    std::optional<std::size_t> first{};  // the first step that differs
};

Comparison compare(const std::vector<storage::Record>& a, const std::vector<storage::Record>& b);

}  // namespace cadre::engine
