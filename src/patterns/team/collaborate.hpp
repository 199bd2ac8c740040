// Collaboration patterns of a team: several of its agents work on one thing together, inside the same task.
#pragma once

#include "base/async_fwd.hpp"
#include "model/team.hpp"
#include "patterns/team/floor.hpp"

#include <string>
#include <vector>

namespace cadre::patterns {

/// All at the same time, meeting at sync points; the coordinator merges, where there is one. One turn per agent, or the coordinator's.
/// Throws the failure of the first in the list when all have failed.
Async<std::vector<Turn>> parallel(engine::Run& run, const model::CollaborationPattern& pattern, const Floor& floor);
/// A proposal, votes, a decision. Throws engine::Failed when there is none.
Async<Turn> consensus(engine::Run& run, const model::CollaborationPattern& pattern, Floor floor);
/// The coordinator delegates to the pattern's agents, and answers.
Async<Turn> hierarchical(engine::Run& run, const model::CollaborationPattern& pattern, const Floor& floor);

/// The one that the pattern's type says. Several answers are one text, in the order of the list.
Async<Turn> collaborate(engine::Run& run, const model::CollaborationPattern& pattern, const Floor& floor);

}  // namespace cadre::patterns
