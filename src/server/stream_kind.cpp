#include "server/stream_kind.hpp"

#include <algorithm>
#include <array>

namespace cadre::server {
namespace {

constexpr std::array kKinds = {
    StreamKind{"stream", "event_", true, "Everything that happens to a task, and what models write.", "API-33"},
    StreamKind{"content", "", true, "What models write, as they write it.", "API-34"},
    StreamKind{"events", "event_", false, "Everything that happens to a task.", "API-35"},
    StreamKind{"memory", "event_memory_", false, "What a task remembers and looks up.", "API-36"},
    StreamKind{"guardrails", "event_guardrail_", false, "What checks have found.", "API-37"},
    StreamKind{"artifacts", "event_artifact_", false, "Files that a task makes and changes.", "API-38"},
    StreamKind{"hitl", "event_hitl_", false, "What people are asked, and what they answer.", "API-39"},
};

}  // namespace

void StreamFilter::add(const StreamKind& kind)
{
    has_text = has_text || kind.has_text;
    if (!kind.events.empty()) events.push_back(kind.events);
}

bool StreamFilter::tells(std::string_view type) const
{
    return std::ranges::any_of(events, [&](std::string_view begin) { return type.starts_with(begin); });
}

std::span<const StreamKind> stream_kinds()
{
    return kKinds;
}

const StreamKind* find_stream_kind(std::string_view name)
{
    const auto found = std::ranges::find(kKinds, name, &StreamKind::name);
    return found == kKinds.end() ? nullptr : &*found;
}

}  // namespace cadre::server
