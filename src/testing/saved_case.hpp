// A case made of a run that has ended.
#pragma once

#include "model/team.hpp"
#include "testing/family.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::testing {

/// What is asked, what models, people and foreign tools answered, and what came of it, as a file of tests has it. `run`: what is
/// tested, if that has to be said. Throws Error(conflict) for a task that cannot be one: it has not ended, or goes on with a
/// conversation.
boost::json::object saved_case(const Family& family, const model::Team& team, const std::optional<std::string>& run);

/// The file with one more case; `text` is empty where there is no file yet. The case's name is made one that no other has. Throws
/// Error(conflict) when it is written in a way that cannot be added to.
std::string with_case(std::string_view text, boost::json::object test);

}  // namespace cadre::testing
