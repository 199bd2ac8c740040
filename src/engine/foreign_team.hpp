// Teams that somebody else wrote: those of imported runs.
#pragma once

#include "model/team.hpp"

#include <string>
#include <string_view>

namespace cadre::engine {

/// The team as it may work here. Of its rules only those that forbid are kept: whatever does more than look, a person is asked about.
/// Its models are reached at the addresses and with the keys that are set up here, not at its own.
model::Team as_foreign(model::Team team);

/// `provider/model` without the address that it may name in place of a model.
std::string without_address(std::string_view spec);

}  // namespace cadre::engine
