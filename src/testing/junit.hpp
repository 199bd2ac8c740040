// Results as JUnit writes them, which CI systems show.
#pragma once

#include "testing/run_case.hpp"

#include <span>
#include <string>

namespace cadre::testing {

/// XML: a suite for each file, in the order of the results.
std::string junit_text(std::span<const CaseResult> results);

}  // namespace cadre::testing
