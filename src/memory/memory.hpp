// Memory: what is remembered across runs. It merges what says the same, keeps what contradicts, finds by words and meaning, sums up,
// and forgets. The truth are documents of the store; what is in use is kept beside it.
#pragma once

#include "memory/ranking.hpp"
#include "memory/rooms.hpp"
#include "memory/vector.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cadre::memory {

struct Note {
    model::MemoryType type = model::MemoryType::semantic;
    std::string text{};
    std::vector<std::string> tags{};
    double importance = 0.5;
    std::optional<Time> expires_at{};
    bool semantic = true;  // a vector is made of it at once
};

struct Kept {
    Item item{};
    Change change = Change::created;
};

struct Query {
    std::string text{};
    std::size_t limit = 8;
    double threshold = kUsualThreshold;
    std::vector<model::MemoryType> types{};  // none: all
    bool semantic = true;                    // false: by words alone
};

struct Hit {
    Item item{};
    double relevance = 0;
};

struct Found {
    std::vector<Hit> hits{};  // the best first
    std::string encoder{};    // whose vectors were compared; empty: none were
};

struct Consolidation {
    std::string topic{};  // of all summaries
    std::vector<Item> summaries{};
    std::int64_t items = 0;   // that are summed up now, and were not before
    std::int64_t length = 0;  // of the summaries, in bytes
};

struct Erasure {
    std::vector<Item> items{};      // as they were
    std::set<std::string> tasks{};  // whose journals still hold some of it
};

/// Lives on its loop; close() before it dies.
class Memory {
public:
    explicit Memory(Surroundings around) : rooms_(std::move(around)) {}

    /// Durable when it returns. The same source again finds what it made, and changes nothing. Throws Error that names the limit.
    Async<Kept> remember(Scope scope, Note note, Source source);
    Async<Found> search(std::vector<Scope> scopes, Query query);
    /// Newest first.
    Async<std::vector<Item>> items(std::vector<Scope> scopes);
    /// As they are kept, one for each of the items.
    Async<std::vector<KeptVector>> vectors(std::vector<Item> items);
    /// Everything that is one user's, from the store, and what they have said to teams. Newest first.
    Async<std::vector<Item>> of_user(std::string tenant, std::string user);

    /// With the summaries that hold their words. What is not there any more is not missed. Returns what went.
    Async<std::vector<Item>> forget(std::vector<Item> items);
    /// Everything of that user; of what others have said too, that they did.
    Async<Erasure> erase(std::string tenant, std::string user);
    /// Everything in those scopes.
    Async<> drop(std::vector<Scope> scopes);

    /// Sums up what happened (episodic items) on one topic, or wherever two or more belong together.
    Async<Consolidation> consolidate(std::vector<Scope> scopes, std::string topic, Source source);

    Async<> until_mended() { return rooms_.until_mended(); }
    Async<> close() { return rooms_.close(); }

private:
    Async<> consolidate(Scope scope, const std::string& topic, const Source& source, Consolidation& done);

    Rooms rooms_;
};

/// Those that were told last come first.
void sort_newest_first(std::vector<Item>& items);

}  // namespace cadre::memory
