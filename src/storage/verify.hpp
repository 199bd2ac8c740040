// verify(): is this the journal that was written? Plain arithmetic over records, wherever they came from.
#pragma once

#include "storage/record.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cadre::storage {

struct JournalProblem {
    std::uint32_t seq = 0;  // the record that shows it
    std::string text{};

    bool operator==(const JournalProblem&) const = default;
};

/// Everything that is wrong with the whole journal of one task, in its order; empty when it is intact. Checked are the hash
/// chain, numbers without gap or repeat, and that tenant and task stay, epochs and event numbers never decrease, no record
/// is of a newer format.
std::vector<JournalProblem> verify(const std::vector<Record>& records);

/// The same for what follows a record that was checked before, which is the first of them.
std::vector<JournalProblem> verify_after(const std::vector<Record>& records);

/// Throws Error(unavailable) that names the task and the first problem. Whoever acts on a journal, or shows it, asks first.
void expect_intact(const std::vector<Record>& records);
/// The same for what follows the first of them.
void expect_intact_after(const std::vector<Record>& records);

}  // namespace cadre::storage
