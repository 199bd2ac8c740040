#include "home/memory_requests.hpp"

#include "model/describe.hpp"

namespace cadre::home {

using model::Entity;
using model::field;
using model::Home;

namespace {

constexpr std::size_t kMostQuery = 2000;
constexpr std::string_view kUser = "Whose; empty: that of the one who asks.";

}  // namespace

const Entity& describe(const KnownItems*)
{
    static const Entity entity{.name = "known_items",
                               .doc = "What is remembered.",
                               .fields = {field("items", &KnownItems::items, "Those told last come first.")}};
    return entity;
}

const Entity& describe(const FoundMemory*)
{
    static const Entity entity{
        .name = "found_memory",
        .doc = "Something that was remembered and fits what was asked.",
        .fields = {field("memory_id", &FoundMemory::memory_id, "The item.", {.required = true}),
                   field("memory_type", &FoundMemory::memory_type, "Where it is kept.", {.required = true}),
                   field("content", &FoundMemory::content, "What is known."),
                   field("relevance_score", &FoundMemory::relevance_score, "How near it is to what was asked: 0 to 1."),
                   field("retrieval_query", &FoundMemory::retrieval_query, "What was asked."),
                   field("source", &FoundMemory::source, "The task that said it last; empty: a person, by hand."),
                   field("scope", &FoundMemory::scope, "Whose memory it is."),
                   field("conflicts", &FoundMemory::conflicts, "Items that say something else of the same."),
                   field("told_at", &FoundMemory::told_at, "When it was last said.")},
        .home = {Home::Kind::message}};
    return entity;
}

const Entity& describe(const FoundMemories*)
{
    static const Entity entity{.name = "found_memories",
                               .doc = "What is remembered of what was asked.",
                               .fields = {field("results", &FoundMemories::results, "The best first.")},
                               .home = {Home::Kind::message}};
    return entity;
}

const Entity& describe(const AddedMemory*)
{
    static const Entity entity{
        .name = "added_memory",
        .doc = "What became of a note.",
        .fields = {field("memory_id", &AddedMemory::memory_id, "The item that says it now."),
                   field("change", &AddedMemory::change, "Whether it was new."),
                   field("scope", &AddedMemory::scope, "Whose memory it is."),
                   field("conflicts", &AddedMemory::conflicts, "Items that say something else of the same.")}};
    return entity;
}

const Entity& describe(const ForgottenMemory*)
{
    static const Entity entity{
        .name = "forgotten_memory",
        .doc = "What is remembered no more.",
        .fields = {field("memory_ids", &ForgottenMemory::memory_ids, "The items, and summaries that held their words."),
                   field("tasks", &ForgottenMemory::tasks, "Tasks whose journals still hold what was said.")}};
    return entity;
}

const Entity& describe(const ConsolidatedMemory*)
{
    static const Entity entity{
        .name = "consolidated_memory",
        .doc = "What was summed up.",
        .fields = {field("topic", &ConsolidatedMemory::topic, "What about."),
                   field("items_consolidated", &ConsolidatedMemory::items_consolidated, "How many items."),
                   field("summary_length", &ConsolidatedMemory::summary_length, "Bytes of the summaries."),
                   field("memory_ids", &ConsolidatedMemory::memory_ids, "The summaries.")},
        .home = {Home::Kind::message}};
    return entity;
}

const Entity& describe(const MemoryCounts*)
{
    static const Entity entity{.name = "memory_counts",
                               .doc = "How many items there are of each type.",
                               .fields = {field("short_term", &MemoryCounts::short_term, "Of the task alone."),
                                          field("long_term", &MemoryCounts::long_term, "Summaries."),
                                          field("semantic", &MemoryCounts::semantic, "Facts."),
                                          field("episodic", &MemoryCounts::episodic, "What happened.")}};
    return entity;
}

const Entity& describe(const ShortTermMemory*)
{
    static const Entity entity{
        .name = "short_term_memory",
        .doc = "What was said in the task itself.",
        .fields = {field("tokens", &ShortTermMemory::tokens, "How much, estimated; no more than the limit."),
                   field("limit", &ShortTermMemory::limit, "Of the agent that the task began with.")}};
    return entity;
}

const Entity& describe(const MemorySummary*)
{
    static const Entity entity{
        .name = "memory_summary",
        .doc = "What a task may read of the memory.",
        .fields = {field("counts", &MemorySummary::counts, "Items by type."),
                   field("short_term", &MemorySummary::short_term, "What was said in the task itself."),
                   field("consolidated_at", &MemorySummary::consolidated_at, "The latest summary; null: none.")},
        .home = {Home::Kind::message}};
    return entity;
}

const Entity& describe(const ListMemory*)
{
    static const Entity entity{.name = "list_memory",
                               .doc = "What is known of a user.",
                               .fields = {field("user", &ListMemory::user, kUser),
                                          field("type", &ListMemory::type, "Only that type."),
                                          field("scope", &ListMemory::scope, "Only that scope.")}};
    return entity;
}

const Entity& describe(const SearchMemory*)
{
    static const Entity entity{
        .name = "search_memory",
        .doc = "Finds what is remembered, by words and meaning.",
        .fields = {field("task", &SearchMemory::task, "What that task may read; null: what is known of the user."),
                   field("user", &SearchMemory::user, kUser),
                   field("query", &SearchMemory::query, "What is to be found.",
                         {.required = true, .min_length = 1, .max_length = kMostQuery}),
                   field("limit", &SearchMemory::limit, "Items at most.", {.min = 1, .max = 100}),
                   field("threshold", &SearchMemory::threshold, "Items that fit less are left out; null: 0.25.",
                         {.min = 0, .max = 1}),
                   field("types", &SearchMemory::types, "Only these; none: all.", {.max_length = 4})}};
    return entity;
}

const Entity& describe(const AddMemory*)
{
    static const Entity entity{
        .name = "add_memory",
        .doc = "Remembers something that a person says.",
        .fields = {
            field("text", &AddMemory::text, "What is to be known.", {.required = true, .min_length = 1}),
            field("type", &AddMemory::type, "What kind of memory."),
            field("session", &AddMemory::session, "Only in that session."),
            field("agent", &AddMemory::agent, "Only for that agent."),
            field("team", &AddMemory::team, "For all who run that team."),
            field("project", &AddMemory::project, "The folder that the agent or team is defined in."),
            field("tags", &AddMemory::tags, "Words to find it by."),
            field("importance", &AddMemory::importance, "What matters least is forgotten first.", {.min = 0, .max = 1}),
            field("expires_at", &AddMemory::expires_at, "When it is to be forgotten; null: never.")}};
    return entity;
}

const Entity& describe(const ForgetMemory*)
{
    static const Entity entity{.name = "forget_memory",
                               .doc = "Forgets items, or everything of a user.",
                               .fields = {field("ids", &ForgetMemory::ids, "The items, or how their ids begin."),
                                          field("all", &ForgetMemory::all, "Everything of the user."),
                                          field("user", &ForgetMemory::user, kUser)}};
    return entity;
}

const Entity& describe(const ConsolidateMemory*)
{
    static const Entity entity{
        .name = "consolidate_memory",
        .doc = "Sums up what happened.",
        .fields = {field("task", &ConsolidateMemory::task, "What that task may read; null: what is the user's own."),
                   field("topic", &ConsolidateMemory::topic, "What about; empty: whatever belongs together.",
                         {.max_length = kMostQuery})}};
    return entity;
}

const Entity& describe(const SummarizeMemory*)
{
    static const Entity entity{.name = "summarize_memory",
                               .doc = "What a task may read of the memory.",
                               .fields = {field("task", &SummarizeMemory::task, "The task.", {.required = true})}};
    return entity;
}

}  // namespace cadre::home
