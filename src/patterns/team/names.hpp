// The names that conditions of handoffs and criteria know: text::turn_names() with their values.
#pragma once

#include "patterns/team/floor.hpp"
#include "text/template/scope.hpp"

namespace cadre::patterns {

/// Behind that turn, or in it, when an agent asks for a handoff. It need not be on the floor yet.
text::Scope names_after(const engine::Run& run, const Floor& floor, const Turn& turn);

}  // namespace cadre::patterns
