// The files of document 004 that show what a task has to do with long-term memory: copies for people, of what it has stored and what
// that was summed up to. The truth is in the store.
#pragma once

#include "memory/memory.hpp"
#include "memory/vector.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace cadre::home {

/// Of all that a task may read, what it has said itself and what sums that up.
std::vector<memory::Item> items_of_task(const std::vector<memory::Item>& items, const std::string& task);

/// Blocks. `folder` is the task's. What is there already and should not be is removed; where there is nothing to show, nothing is made.
///     memory/long_term/semantic.db     facts and summaries with their vectors, for sqlite3
///     memory/long_term/episodic.json   what happened
///     memory/consolidated/ID.json      summaries
void write_memory_files(const std::filesystem::path& folder, const std::vector<memory::Item>& items,
                        const std::vector<memory::KeptVector>& vectors);

}  // namespace cadre::home
