// How what rooms say to a run stands in its journal.
#include "engine/artifact_port.hpp"
#include "engine/compactor.hpp"
#include "engine/conversation.hpp"
#include "engine/guard.hpp"
#include "engine/memory_port.hpp"
#include "model/describe.hpp"

namespace cadre::engine {

using model::EnumName;
using model::field;

std::span<const EnumName> names_of(const MemoryChange*)
{
    static constexpr EnumName names[] = {
        {int(MemoryChange::created), "created"},
        {int(MemoryChange::merged), "merged"},
        {int(MemoryChange::conflict), "conflict"},
    };
    return names;
}

std::span<const EnumName> names_of(const ArtifactChange*)
{
    static constexpr EnumName names[] = {
        {int(ArtifactChange::created), "created"},
        {int(ArtifactChange::modified), "modified"},
        {int(ArtifactChange::unchanged), "unchanged"},
        {int(ArtifactChange::deleted), "deleted"},
    };
    return names;
}

std::span<const EnumName> names_of(const Place*)
{
    static constexpr EnumName names[] = {
        {int(Place::input), "input"},         {int(Place::output), "output"},
        {int(Place::tool_call), "tool_call"}, {int(Place::tool_result), "tool_result"},
        {int(Place::handoff), "handoff"},     {int(Place::delegate), "delegate"},
        {int(Place::send), "send"},
    };
    return names;
}

std::span<const EnumName> names_of(const GuardAction*)
{
    static constexpr EnumName names[] = {
        {int(GuardAction::pass), "pass"},       {int(GuardAction::log), "log"}, {int(GuardAction::warn), "warn"},
        {int(GuardAction::rewrite), "rewrite"}, {int(GuardAction::ask), "ask"}, {int(GuardAction::block), "block"},
    };
    return names;
}

const model::Entity& describe(const MemoryHit*)
{
    static const model::Entity entity{
        "memory_hit",
        "Something that was remembered.",
        {
            field("id", &MemoryHit::id, "Of the item."),
            field("type", &MemoryHit::type, "Episodic, semantic and the like."),
            field("text", &MemoryHit::text, "What is known."),
            field("score", &MemoryHit::score, "How well it fits the query."),
            field("at", &MemoryHit::at, "When it was last told.", {.extension = true}),
            field("conflicts", &MemoryHit::conflicts, "Items that say something else.", {.extension = true}),
        }};
    return entity;
}

const model::Entity& describe(const SavedVersion*)
{
    static const model::Entity entity{
        "saved_version",
        "One version of a file that a task has made.",
        {
            field("path", &SavedVersion::path, "Below the task's artifacts."),
            field("version", &SavedVersion::version, "Of this path, from 1 on.", {.min = 0}),
            field("sha256", &SavedVersion::sha256, "Of its content."),
            field("size", &SavedVersion::size, "Bytes.", {.min = 0}),
            field("mime_type", &SavedVersion::mime_type, "What it is."),
            field("description", &SavedVersion::description, "What it is for.", {.extension = true}),
            field("tags", &SavedVersion::tags, "Words to find it by.", {.extension = true}),
        }};
    return entity;
}

const model::Entity& describe(const Saved*)
{
    static const model::Entity entity{
        "saved",
        "What a tool has done to a file of its task.",
        {
            field("artifact", &Saved::artifact, "The version that the file has now; of one that is gone, its last."),
            field("change", &Saved::change, "Whether there was such a file before, or is one now."),
            field("before", &Saved::before, "Bytes of the version that it follows.", {.extension = true}),
        }};
    return entity;
}

const model::Entity& describe(const ShortenedMessage*)
{
    static const model::Entity entity{
        "shortened_message",
        "A message of a conversation that is shown shorter than it was.",
        {
            field("message", &ShortenedMessage::message, "Its number, from 0 on.", {.min = 0}),
            field("text", &ShortenedMessage::text, "What is shown in its place."),
        }};
    return entity;
}

const model::Entity& describe(const Compaction*)
{
    static const model::Entity entity{
        "compaction",
        "What becomes of a conversation that has outgrown its model's window.",
        {
            field("upto", &Compaction::upto, "Messages before this one are gone.", {.min = 0}),
            field("kept", &Compaction::kept, "But these."),
            field("summary", &Compaction::summary, "What stands in their place."),
            field("shortened", &Compaction::shortened, "Messages that are shown shorter."),
            field("inputs", &Compaction::inputs, "Records with instructions that are told before."),
            field("tokens_before", &Compaction::tokens_before, "Of the messages.", {.min = 0}),
            field("tokens_after", &Compaction::tokens_after, "Of the messages.", {.min = 0}),
            field("sums_up", &Compaction::sums_up, "Whether a model writes the summary."),
            field("most_asked", &Compaction::most_asked, "Bytes of one question to it.", {.min = 0}),
            field("most_summary", &Compaction::most_summary, "Bytes of the summary.", {.min = 0}),
        }};
    return entity;
}

const model::Entity& describe(const TurnMessage*)
{
    static const model::Entity entity{"turn_message",
                                      "Something that was said in a session.",
                                      {
                                          field("role", &TurnMessage::role, "Whose it is."),
                                          field("text", &TurnMessage::text, "What was said."),
                                      }};
    return entity;
}

}  // namespace cadre::engine
