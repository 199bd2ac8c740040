// Rules about arguments that no call has.
#pragma once

#include "config/contents.hpp"
#include "config/finding.hpp"
#include "model/team.hpp"

namespace cadre::home {

/// Warns of rules that name an argument which their tool does not take: they forbid nothing, and whoever wrote one relies on it.
void check_rule_arguments(const model::Team& team, const config::File& file, config::Findings& findings);

}  // namespace cadre::home
