// What people have told a task while it ran.
#pragma once

#include "storage/record.hpp"

#include <span>
#include <string>
#include <vector>

namespace cadre::cli {

/// A line each: `12:04:31 ann: told: Use British spelling.`
std::vector<std::string> interventions_in(std::span<const storage::Record> records, Time now);

}  // namespace cadre::cli
