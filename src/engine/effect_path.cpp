#include "engine/effect_path.hpp"

#include <algorithm>

namespace cadre::engine {

using storage::RecordKind;

bool belongs_to_effect(const storage::Record& record)
{
    switch (record.kind) {
    case RecordKind::intent:
    case RecordKind::outcome:
    case RecordKind::attempt_failed:
    case RecordKind::unknown:
    case RecordKind::node_done:
    case RecordKind::answer: return !record.path.empty();
    case RecordKind::created:
    case RecordKind::started:
    case RecordKind::instruction:
    case RecordKind::cancel:
    case RecordKind::pause:
    case RecordKind::resume:
    case RecordKind::setting:
    case RecordKind::late_result:
    case RecordKind::note:
    case RecordKind::completed:
    case RecordKind::failed:
    case RecordKind::cancelled:
    case RecordKind::upkeep: return false;
    }
    return false;  // a newer release's
}

std::string_view effect_in(std::string_view path)
{
    const auto slash = path.rfind('/');
    const std::string_view own = path.substr(slash == path.npos ? 0 : slash + 1);
    return own.substr(0, own.find(':'));
}

bool is_number(std::string_view part)
{
    return !part.empty() && part.find_first_not_of("0123456789") == part.npos;
}

std::string_view outside(std::string_view path)
{
    auto slash = path.rfind('/');
    if (slash == path.npos) return "";
    if (is_number(path.substr(slash + 1))) {
        slash = path.substr(0, slash).rfind('/');
        if (slash == path.npos) return "";
    }
    return path.substr(0, slash);
}

bool lies_in(std::string_view path, std::string_view node)
{
    if (!path.starts_with(node) || !path.substr(node.size()).starts_with('/')) return false;
    const std::string_view inside = path.substr(node.size() + 1);
    return !is_number(inside.substr(0, inside.find('/')));
}

std::size_t call_in(std::string_view path)
{
    constexpr std::string_view kCall = "use:";
    std::size_t at = path.rfind(kCall);
    while (at != path.npos && at > 0 && path[at - 1] != '/') at = path.rfind(kCall, at - 1);
    return at;
}

std::string_view turn_scope(std::string_view path)
{
    const std::string_view own = path.substr(0, std::min(call_in(path), path.size()));
    return own.substr(0, own.rfind('/') + 1);
}

}  // namespace cadre::engine
