// What a task has delegated, by its journal.
#pragma once

#include "base/id.hpp"
#include "storage/record.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cadre::engine {

struct Delegated {
    std::uint32_t seq = 0;  // of the record that says so
    std::string path{};
    Id child{};
};

std::vector<Delegated> delegated_in(const std::vector<storage::Record>& records);

}  // namespace cadre::engine
