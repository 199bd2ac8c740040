// A run in one file, to be looked at elsewhere: lines of JSON.
//
//   {"cadre_export":1,"task":…,"tasks":2,"records":40,"redacted":true,…}     what it holds
//   {"document":{"kind":"team","key":…,"text":…}}                            teams that the tasks are pinned to, by their hash
//   {"document":{"kind":"conversation",…}}                                   what was said before in their sessions, the oldest first
//   {"record":{"task":…,"seq":1,…,"body":…,"hash":…}}                        journals: the task's, and those of what it delegated
//   {"end":{"lines":43,"sha256":…}}                                          of all lines before this one
//
// What is masked in a redacted one is gone: digests and hashes are left out or made anew, so that they give nothing away.
#pragma once

#include "base/id.hpp"
#include "storage/store.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {
struct Entity;
}

namespace cadre::engine {

inline constexpr int kExportFormat = 1;
/// More than this is neither written nor read.
inline constexpr std::size_t kMaxExport = std::size_t{256} << 20;
inline constexpr std::size_t kMaxExportedTasks = 1000;

/// A run on its way between two homes.
struct Transfer {
    Id task{};
    bool redacted = false;  // something was masked
    std::vector<storage::Document> documents{};
    std::vector<std::vector<storage::Record>> journals{};  // the task's first, then those below it
};

/// Masks every credential, in records and documents. What is without any stays as it is, with its hashes. Returns how many records
/// and documents were changed.
std::size_t redact_run(Transfer& transfer);

/// Throws Error(too_large).
std::string file_of(const Transfer& transfer);
/// Reads what file_of() wrote and trusts nothing of it. Throws Error(malformed, invalid or too_large) that begins with `line N: `
/// where one line is to blame.
Transfer transfer_from(std::string_view text);

/// The two halves of transfer_from(): what each line says, and whether it all makes sense, also to a replay.
Transfer read_lines(std::string_view text);
void check(const Transfer& transfer);

struct ImportReport {
    Id task{};
    std::size_t tasks = 0;  // that came
    std::size_t records = 0;
    bool existed = false;  // all of it was there already, and the same
    bool redacted = false;
};
const model::Entity& describe(const ImportReport*);

}  // namespace cadre::engine
