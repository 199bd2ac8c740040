// A record: one thing that happened to a task, for ever. The journal of a task is its records in order of `seq`.
#pragma once

#include "base/id.hpp"
#include "base/sha256.hpp"
#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::storage {

/// The format that this release writes. A reader takes every older one and refuses newer ones.
inline constexpr std::uint8_t kFormat = 1;

/// A body larger than this is a blob: a file of its own, named by its hash, so that one task's large result does not delay
/// the commits of others.
inline constexpr std::size_t kBlobThreshold = 32 * 1024;

/// Stored as a number that is never used again for something else. Numbers that are not listed were written by a newer
/// release; they are kept as they are.
enum class RecordKind : std::uint8_t {
    created = 1,
    started = 2,
    intent = 3,        // an effect is about to be performed
    outcome = 4,       // what came of it: a value or an error
    unknown = 5,       // nobody can know what came of it: a person must say
    node_done = 6,     // a part of the run that need not run again, with its result
    answer = 7,        // inputs, in the order in which they were accepted: a person's answer, or its timeout
    instruction = 8,   //   words for the agent
    cancel = 9,        //   stop for good
    pause = 10,        //   stop at the next effect; also step mode, breakpoints, budget, divergence
    resume = 11,       //   go on
    setting = 12,      //   budget raised, breakpoints changed
    late_result = 13,  // came after the run had stopped caring
    note = 14,         // for people: drift, recovery
    completed = 15,
    failed = 16,
    cancelled = 17,
    attempt_failed = 18,  // an effect's attempt failed for certain, and another one follows
    upkeep = 19,          // people or the house did something to files or memory of the task, also behind its end
};
/// `created` and its like; `kind_77` for a number that this release does not know.
std::string name_of(RecordKind kind);

struct Record {
    std::uint8_t version = kFormat;
    std::string tenant{};
    Id task{};
    std::uint32_t seq = 0;        // 1, 2, 3, … without gap or repeat
    std::uint32_t event_seq = 0;  // how many public events the journal holds up to and including this record
    std::uint32_t epoch = 0;      // of the owner who wrote it; never decreases along seq
    Time at{};
    RecordKind kind = RecordKind::note;
    std::string path{};  // the effect that it belongs to; empty for the task as a whole
    Digest ask{};        // of what the pattern asked; intents and outcomes
    std::string body{};  // JSON text, stored and hashed verbatim
    Hash hash{};         // over the predecessor's hash and all of the above

    bool operator==(const Record&) const = default;
};

/// The hash before the first record.
inline constexpr Hash kGenesis{};

/// What `record.hash` must be after a record with hash `previous`. Over, in this order, integers little-endian:
///   previous (32) · version (1) · kind (1) · seq (4) · event_seq (4) · epoch (4) · at, ms since 1970 (8) · task (16) ·
///   ask (16) · tenant, path, body, each as its length (4) and its bytes
/// and for a body over kBlobThreshold, in place of its bytes, their SHA-256; its length stays. So the chain can be checked
/// without the blobs.
Hash chain_hash(const Record& record, const Hash& previous);
/// The same for a record whose body is a blob that is not at hand; `record.body` is not looked at.
Hash chain_hash(const Record& record, const Hash& previous, std::size_t body_size, const Hash& body_hash);

inline bool is_blob(const Record& record)
{
    return record.body.size() > kBlobThreshold;
}

/// Sets `record.hash`.
void seal(Record& record, const Hash& previous);

}  // namespace cadre::storage
