// What is written can be read: records are held against the rules of their readers before they are appended.
#pragma once

#include "storage/record.hpp"

namespace cadre::engine {

/// Whether every record is. That costs more than a record is worth, so a release leaves it to tests, the simulator and the crash harness, and
/// looks only at what people, clocks and other programs have said. Set before anything runs.
#ifdef CADRE_MUTANTS  // a release has assertions, but no mutants
inline bool checks_records = true;
#else
inline bool checks_records = false;
#endif

/// Whether a fold reads all of such a record that has rules: then one that cannot be read fails there.
bool is_read_by_fold(storage::RecordKind kind);

/// Throws Error(internal) that says what a reader would complain of.
void expect_writable(const storage::Record& record);

}  // namespace cadre::engine
