// What a journal already holds for each path: consumed while a run is replayed.
#pragma once

#include "storage/record.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

/// The records of one effect or node, by their kind. The pointers live as long as the Recorded they came from.
struct RecordedEffect {
    const storage::Record* intent = nullptr;   // the last attempt's
    const storage::Record* outcome = nullptr;  // outcome or node_done
    const storage::Record* failed = nullptr;   // the last attempt failed for certain, and another was to follow
    const storage::Record* unknown = nullptr;  // a person must say, or has said, what came of the last attempt
    const storage::Record* answer = nullptr;   // a person's answer that came after the last intent
    int attempts = 0;
    int failures = 0;  // attempts that failed for certain
    bool used = false;
};

/// The effects and nodes of a stored journal by path.
class Recorded {
public:
    Recorded() = default;
    explicit Recorded(std::vector<storage::Record>&& records);

    /// The effect at `path`, from now on used; null when the journal has none.
    const RecordedEffect* take(std::string_view path);
    /// A finished node is skipped: whatever happened inside is used too. Whether a model or a tool was called in it.
    bool skip_inside(std::string_view node_path);
    /// What begins so is used, because the code need not ask for it again. Returns the paths of what has not ended.
    std::vector<std::string> skip_all(std::string_view prefix);

    /// Whether the code has not yet asked for something whose path begins so; for the node there, or for something in it.
    bool has_unused(std::string_view prefix) const;
    bool has_unused_in(std::string_view node) const;

    /// The oldest record that the code has not asked for; null when there is none.
    const storage::Record* oldest_unused() const;
    const std::vector<storage::Record>& records() const { return records_; }
    /// The record with that number.
    const storage::Record* find(std::uint32_t seq) const;

private:
    struct Entry {
        std::string_view path;
        RecordedEffect effect;
    };

    std::vector<Entry>::iterator lower_bound(std::string_view path);
    std::vector<Entry>::const_iterator lower_bound(std::string_view path) const;

    std::vector<storage::Record> records_;
    std::vector<Entry> entries_;  // sorted by path
};

}  // namespace cadre::engine
