// What people who come from other programs meant by a field that we do not have.
#pragma once

#include "model/problem.hpp"

#include <string_view>

namespace cadre::config {

/// What to write instead; empty: nothing is known of it.
std::string_view advice_for(const model::Problem& problem);

}  // namespace cadre::config
