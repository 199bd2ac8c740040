// The first part of plan@1: an agent makes the plan.
#pragma once

#include "base/async_fwd.hpp"
#include "model/plan.hpp"

namespace cadre::engine {
class Run;
}

namespace cadre::patterns {

/// In a scope of its own. A plan that cannot be carried out may be mended once; then Error(upstream) says what is wrong with it.
Async<model::Plan> make_plan(engine::Run& run);

}  // namespace cadre::patterns
