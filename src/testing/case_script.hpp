// What plays the model of a case.
#pragma once

#include "testing/suite.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace cadre::testing {

/// The model that the case names, scripts by their whole paths; nothing: it is as configured, or its script stands in the case.
std::optional<std::string> model_of(const Suite& suite, const model::TestCase& test);

/// A script that the case needs and that is in no file: its own entries, and before them the faults of the model.
struct CaseScript {
    std::string text{};   // JSON; each entry stands on the line that it has where it comes from
    std::string shown{};  // where that is
};

/// Nothing: the case needs no file of its own.
std::optional<CaseScript> script_of(const Suite& suite, const model::TestCase& test, std::size_t index);

}  // namespace cadre::testing
