// What can be asked of a home's memory, and what comes back; home/verbs.cpp lists them with all other requests.
#pragma once

#include "base/id.hpp"
#include "engine/principal.hpp"
#include "memory/item.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::home {

// ---- answers ----

struct KnownItems {
    std::vector<memory::Item> items{};
};
const model::Entity& describe(const KnownItems*);

/// An item that was found: 004's reference to it, and what it says.
struct FoundMemory {
    std::string memory_id{};
    model::MemoryType memory_type = model::MemoryType::semantic;
    std::string content{};
    double relevance_score = 0;
    std::string retrieval_query{};
    std::string source{};  // the task that said it last; empty: a person, by hand
    memory::ScopeKind scope = memory::ScopeKind::user;
    std::vector<std::string> conflicts{};
    Time told_at{};
};
const model::Entity& describe(const FoundMemory*);

struct FoundMemories {
    std::vector<FoundMemory> results{};  // the best first
};
const model::Entity& describe(const FoundMemories*);

struct AddedMemory {
    std::string memory_id{};
    memory::Change change = memory::Change::created;
    memory::ScopeKind scope = memory::ScopeKind::user;
    std::vector<std::string> conflicts{};
};
const model::Entity& describe(const AddedMemory*);

struct ForgottenMemory {
    std::vector<std::string> memory_ids{};
    std::vector<std::string> tasks{};  // whose journals still hold what was said
};
const model::Entity& describe(const ForgottenMemory*);

struct ConsolidatedMemory {
    std::string topic{};
    std::int64_t items_consolidated = 0;
    std::int64_t summary_length = 0;
    std::vector<std::string> memory_ids{};  // of the summaries
};
const model::Entity& describe(const ConsolidatedMemory*);

struct MemoryCounts {
    std::int64_t short_term = 0;
    std::int64_t long_term = 0;
    std::int64_t semantic = 0;
    std::int64_t episodic = 0;
};
const model::Entity& describe(const MemoryCounts*);

struct ShortTermMemory {
    std::int64_t tokens = 0;
    std::int64_t limit = 0;
};
const model::Entity& describe(const ShortTermMemory*);

struct MemorySummary {
    MemoryCounts counts{};  // of what the task may read
    ShortTermMemory short_term{};
    std::optional<Time> consolidated_at{};
};
const model::Entity& describe(const MemorySummary*);

// ---- requests ----

/// What is known of a user: their own, and what they have told teams.
struct ListMemory {
    using Answer = KnownItems;
    static constexpr std::string_view verb = "memory_list";
    static constexpr engine::Act act = engine::Act::read;

    std::string user{};  // empty: whoever asks; of others only who administers the tenant
    std::optional<model::MemoryType> type{};
    std::optional<memory::ScopeKind> scope{};
};
const model::Entity& describe(const ListMemory*);

struct SearchMemory {
    using Answer = FoundMemories;
    static constexpr std::string_view verb = "memory_search";
    static constexpr engine::Act act = engine::Act::read;

    std::optional<Id> task{};  // what that task may read; none: what is known of the user
    std::string user{};
    std::string query{};
    int limit = 10;
    std::optional<double> threshold{};
    std::vector<model::MemoryType> types{};  // none: all
};
const model::Entity& describe(const SearchMemory*);

struct AddMemory {
    using Answer = AddedMemory;
    static constexpr std::string_view verb = "memory_add";
    static constexpr engine::Act act = engine::Act::work;

    std::string text{};
    model::MemoryType type = model::MemoryType::semantic;
    std::string session{}, agent{}, team{};  // whose memory, at most one of them; none: the user's
    std::string project{};                   // of the agent or team
    std::vector<std::string> tags{};
    double importance = 0.5;
    std::optional<Time> expires_at{};
};
const model::Entity& describe(const AddMemory*);

struct ForgetMemory {
    using Answer = ForgottenMemory;
    static constexpr std::string_view verb = "memory_forget";
    static constexpr engine::Act act = engine::Act::work;

    std::vector<std::string> ids{};  // or how they begin
    bool all = false;                // everything of the user
    std::string user{};
};
const model::Entity& describe(const ForgetMemory*);

struct ConsolidateMemory {
    using Answer = ConsolidatedMemory;
    static constexpr std::string_view verb = "memory_consolidate";
    static constexpr engine::Act act = engine::Act::work;

    std::optional<Id> task{};  // what that task may read, and its journal says so; none: what is the user's own
    std::string topic{};       // empty: whatever belongs together
};
const model::Entity& describe(const ConsolidateMemory*);

struct SummarizeMemory {
    using Answer = MemorySummary;
    static constexpr std::string_view verb = "memory_summary";
    static constexpr engine::Act act = engine::Act::read;

    Id task{};
};
const model::Entity& describe(const SummarizeMemory*);

}  // namespace cadre::home
