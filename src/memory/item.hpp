// Item: one thing that is remembered, with where it came from.
#pragma once

#include "base/time.hpp"
#include "memory/scope.hpp"
#include "model/part.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::memory {

inline constexpr std::size_t kMostText = 8 << 10;          // bytes of one item
inline constexpr std::size_t kMostTags = 16;               // of one item
inline constexpr std::size_t kMostTagLetters = 64;         // bytes of one tag
inline constexpr std::size_t kMostSources = 64;            // of one item; what comes in between is only counted
inline constexpr std::size_t kMostInScope = 10'000;        // items; beyond, the least important and oldest go
inline constexpr std::string_view kItemKind = "memory";    // of documents
inline constexpr std::string_view kVectorKind = "vector";  // the same keys

/// What became of a note.
enum class Change : std::uint8_t { created, merged, conflict };
std::span<const model::EnumName> names_of(const Change*);

/// Who said it, and when.
struct Source {
    std::string task{};  // empty: a person, by hand
    std::string step{};  // path of the effect in that task
    std::string agent{};
    std::string by{};  // the person, where it was one
    Time at{};
    Change change = Change::created;  // what it was then

    bool operator==(const Source&) const = default;
};
const model::Entity& describe(const Source*);

struct Item {
    std::string id{};  // mem_…
    model::MemoryType type = model::MemoryType::semantic;
    Scope scope{};
    std::string text{};
    std::vector<std::string> tags{};
    double importance = 0.5;
    std::vector<Source> sources{};
    std::int64_t told = 1;                  // how often it was said, the sources that were left out among it
    std::vector<std::string> supersedes{};  // of a summary: what it sums up
    std::vector<std::string> conflicts{};   // items that say something else of the same
    std::string consolidated_into{};        // the summary that has it; empty: none
    Time created_at{};
    Time updated_at{};
    std::optional<Time> expires_at{};

    bool is_expired(Time now) const { return expires_at && *expires_at <= now; }
    bool operator==(const Item&) const = default;
};
const model::Entity& describe(const Item*);

/// Case, width, blanks and full stops at the end make no difference.
std::string normalised(std::string_view text);
/// The same for the same text in the same scope, and never for another.
std::string id_of(const Scope& scope, model::MemoryType type, std::string_view text);
std::string key_of(const Item& item);

/// Throws Error that names the limit that is broken, or what is wrong with the text.
void expect_keepable(std::string_view text, const std::vector<std::string>& tags, double importance);

/// One more source; in the middle of too many, one goes.
void add_source(Item& item, Source source);

}  // namespace cadre::memory
