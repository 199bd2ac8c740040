// What must fit together inside one team, beyond the rules of single fields.
#pragma once

#include "model/problem.hpp"

namespace cadre::model {

struct CollaborationPattern;
struct GuardrailRule;
struct Team;

/// Names that are given twice, names that nobody has, aliases that clash (C-10).
void check_team(const Team& team, const Path& path, Problems& problems);
/// The settings that we know by name (S-17).
void check_pattern(const CollaborationPattern& pattern, const Path& path, Problems& problems);
/// A rule's value must be of the kind that its rule needs, or the rule would quietly never apply.
void check_rule_value(const GuardrailRule& rule, const Path& path, Problems& problems);

}  // namespace cadre::model
