// A task with all that it delegated.
#pragma once

#include "base/async_fwd.hpp"
#include "engine/trace.hpp"
#include "storage/record.hpp"
#include "storage/store.hpp"

#include <vector>

namespace cadre::testing {

struct Family {
    std::vector<std::vector<storage::Record>> tasks{};  // journals: its own, then those below it as they were begun
    engine::Trace trace{};                              // of all of them
};

/// `records`: of the task itself.
Async<Family> family_of(storage::Store& store, std::vector<storage::Record> records);

}  // namespace cadre::testing
