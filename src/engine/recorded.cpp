#include "engine/recorded.hpp"

#include "engine/effect_path.hpp"

#include <algorithm>
#include <tuple>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

void add(RecordedEffect& effect, const Record& record)
{
    switch (record.kind) {
    case RecordKind::intent:
        effect.intent = &record;
        effect.failed = effect.unknown = effect.answer = nullptr;  // those were about the attempt before
        ++effect.attempts;
        break;
    case RecordKind::attempt_failed:
        effect.failed = &record;
        ++effect.failures;
        break;
    case RecordKind::unknown: effect.unknown = &record; break;
    case RecordKind::answer: effect.answer = &record; break;
    case RecordKind::outcome:
    case RecordKind::node_done: effect.outcome = &record; break;
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
    case RecordKind::upkeep: break;  // belongs_to_effect() lets none of them in
    }
}

}  // namespace

Recorded::Recorded(std::vector<Record>&& records) : records_(std::move(records))
{
    std::vector<const Record*> ours;
    for (const Record& record : records_)
        if (belongs_to_effect(record)) ours.push_back(&record);
    std::ranges::sort(
        ours, [](const Record* a, const Record* b) { return std::tie(a->path, a->seq) < std::tie(b->path, b->seq); });
    for (const Record* record : ours) {
        if (entries_.empty() || entries_.back().path != record->path) entries_.push_back({record->path, {}});
        add(entries_.back().effect, *record);
    }
}

std::vector<Recorded::Entry>::iterator Recorded::lower_bound(std::string_view path)
{
    return std::lower_bound(entries_.begin(), entries_.end(), path,
                            [](const Entry& entry, std::string_view wanted) { return entry.path < wanted; });
}

std::vector<Recorded::Entry>::const_iterator Recorded::lower_bound(std::string_view path) const
{
    return const_cast<Recorded&>(*this).lower_bound(path);
}

const RecordedEffect* Recorded::take(std::string_view path)
{
    const auto entry = lower_bound(path);
    if (entry == entries_.end() || entry->path != path) return nullptr;
    entry->effect.used = true;
    return &entry->effect;
}

bool Recorded::skip_inside(std::string_view node_path)
{
    const std::string prefix = std::string(node_path) + '/';
    bool has_calls = false;
    for (auto entry = lower_bound(prefix); entry != entries_.end() && entry->path.starts_with(prefix); ++entry) {
        if (!lies_in(entry->path, node_path)) continue;
        entry->effect.used = true;
        const std::string_view effect = effect_in(entry->path);
        has_calls = has_calls || (entry->effect.intent && (effect == "think" || effect == "use"));
    }
    return has_calls;
}

std::vector<std::string> Recorded::skip_all(std::string_view prefix)
{
    std::vector<std::string> open;
    for (auto entry = lower_bound(prefix); entry != entries_.end() && entry->path.starts_with(prefix); ++entry) {
        entry->effect.used = true;
        if (!entry->effect.outcome && !entry->effect.answer) open.emplace_back(entry->path);
    }
    return open;
}

bool Recorded::has_unused(std::string_view prefix) const
{
    for (auto entry = lower_bound(prefix); entry != entries_.end() && entry->path.starts_with(prefix); ++entry)
        if (!entry->effect.used) return true;
    return false;
}

bool Recorded::has_unused_in(std::string_view node) const
{
    for (auto entry = lower_bound(node); entry != entries_.end() && entry->path.starts_with(node); ++entry)
        if (!entry->effect.used && (entry->path == node || lies_in(entry->path, node))) return true;
    return false;
}

const Record* Recorded::oldest_unused() const
{
    const Record* oldest = nullptr;
    for (const Entry& entry : entries_) {
        if (entry.effect.used) continue;
        const Record* record = entry.effect.intent ? entry.effect.intent : entry.effect.outcome;
        if (!record) record = entry.effect.answer ? entry.effect.answer : entry.effect.unknown;
        if (!record) record = entry.effect.failed;
        if (!oldest || record->seq < oldest->seq) oldest = record;
    }
    return oldest;
}

const Record* Recorded::find(std::uint32_t seq) const
{
    return seq >= 1 && seq <= records_.size() ? &records_[seq - 1] : nullptr;
}

}  // namespace cadre::engine
