// Criteria of a team: what must be true for a task to be done, and what must not.
#pragma once

#include "base/async_fwd.hpp"
#include "model/team.hpp"
#include "patterns/team/floor.hpp"
#include "text/template/template.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cadre::patterns {

/// Prefix of those that are expressions; the others are judged by a model.
inline constexpr std::string_view kExpression = "expr:";

struct Criterion {
    std::string text{};  // as in the file
    std::optional<text::Expression> expression{};
    bool is_failure = false;
};

struct Criteria {
    std::vector<Criterion> all{};  // those of success first
    bool has_success() const { return !all.empty() && !all.front().is_failure; }
};

/// Throws Error(invalid) for an expression that cannot be parsed.
Criteria criteria_of(const model::ExecutionConfig& config);
/// Whether a model is asked about one of them.
bool are_judged(const model::ExecutionConfig& config);

/// What they say behind a turn.
struct Judgement {
    std::vector<std::string> failed{};  // criteria of failure that are met
    std::vector<std::string> unmet{};   // criteria of success that are not
    std::string reason{};               // the judge's
};

/// Expressions first. The judge is asked about all the others at once, and only where its answer can change something: `is_last` says that
/// the team has nothing left to do. Throws Error(invalid) for an expression that cannot be evaluated.
Async<Judgement> judged(engine::Run& run, const Criteria& criteria, const Floor& floor, const Turn& turn, bool is_last);

}  // namespace cadre::patterns
