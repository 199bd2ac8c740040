// What models answered in a run, as a script that answers the same again: `replay:FILE`.
#pragma once

#include "storage/record.hpp"
#include "testing/family.hpp"

#include <boost/json/object.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::testing {

/// How such a file begins.
inline constexpr std::string_view kCassetteHead = "# A recording of what models answered";

/// The same of a task and those that it delegated, whose entries come first and say which task they are for: a script is played by each
/// of them from its beginning. Throws Error(conflict) where an entry would be for two calls that were answered differently.
std::vector<boost::json::object> cassette_of(const Family& family);

/// An entry for each model call of the journal that has ended, in the order in which they began: whose it was and which, and its answer
/// or failure. Attempts that were made again are left out; credentials are masked.
std::vector<boost::json::object> cassette_of(std::span<const storage::Record> records);

/// The file.
std::string cassette_text(const std::vector<boost::json::object>& entries);

}  // namespace cadre::testing
