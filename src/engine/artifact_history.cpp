#include "engine/artifact_history.hpp"

#include "artifacts/path.hpp"
#include "artifacts/shown.hpp"
#include "engine/body.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

artifacts::Version version_of(const SavedVersion& version, const std::string& by)
{
    return {.path = version.path,
            .version = std::max(version.version, 1),
            .sha256 = version.sha256,
            .size = version.size,
            .mime_type = version.mime_type,
            .description = version.description,
            .tags = version.tags,
            .by = by};
}

bool is_sha256(std::string_view text)
{
    constexpr std::size_t kDigits = 64;
    return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

struct Noting {
    Histories& histories;
    const Record& record;

    bool note(const Saved& saved, const std::string& by, const std::string& reason) const
    {
        if (saved.change == ArtifactChange::unchanged) return false;
        const auto known = histories.find(saved.artifact.path);
        // files are looked for under both, and an imported journal may name whatever it likes
        if (!is_sha256(saved.artifact.sha256)) return false;
        if (known == histories.end() && artifacts::problem_with(saved.artifact.path)) return false;
        if (saved.change == ArtifactChange::deleted) {
            if (known == histories.end()) return false;
            known->second.deleted = true;
            return true;
        }
        artifacts::History& history = known == histories.end() ? histories[saved.artifact.path] : known->second;
        artifacts::Version version = version_of(saved.artifact, by);
        version.at = record.at;
        version.reason = reason;
        version.seq = record.seq;
        history.deleted = false;
        history.versions.push_back(std::move(version));
        return true;
    }
};

}  // namespace

bool note_versions(Histories& histories, const Record& record)
{
    const Noting noting{histories, record};
    if (record.kind == RecordKind::upkeep) {
        const auto upkeep = body_of<UpkeepBody>(record);
        if (!upkeep.artifact.is_set()) return false;
        return noting.note({upkeep.artifact.get(), upkeep.change.get()}, upkeep.by.str(), upkeep.what.str());
    }
    if (record.kind != RecordKind::outcome) return false;
    const auto effect = effect_of(record);
    if (effect != EffectKind::use && effect != EffectKind::save) return false;
    const auto outcome = body_of<OutcomeBody>(record);
    if (const auto* save = std::get_if<SaveOutcome>(&outcome.of))
        return save->artifact.is_set() &&
               noting.note({save->artifact.get(), save->change.get()}, save->agent.str(), "save");
    const auto* use = std::get_if<UseOutcome>(&outcome.of);
    if (!use || !use->files.is_set()) return false;
    const std::string tool = use->tool.str();
    bool found = false;
    for (const Saved& saved : use->files.get()) found = noting.note(saved, tool, "tool") || found;
    return found;
}

Histories histories_of(std::span<const Record> records)
{
    Histories histories;
    for (const Record& record : records) note_versions(histories, record);
    return histories;
}

model::Artifact artifact_of(const SavedVersion& version, const std::string& by)
{
    return artifacts::to_artifact(version_of(version, by));
}

std::vector<model::Event> events_of_change(const Saved& saved, const std::string& by, const std::string& reason,
                                           Time at)
{
    if (saved.change == ArtifactChange::unchanged) return {};
    const model::Artifact artifact = artifact_of(saved.artifact, by);
    if (saved.change == ArtifactChange::created)
        return {model::ArtifactCreatedEvent{.artifact = artifact, .created_by = by, .timestamp = at}};
    model::ArtifactModifiedEvent modified{
        .artifact_uri = artifact.uri, .modified_by = by, .version = *artifact.version, .timestamp = at};
    modified.changes["size_before"] = saved.before.value_or(0);
    if (saved.change == ArtifactChange::deleted) {
        modified.changes["deleted"] = true;
        return {modified};
    }
    modified.changes["size_after"] = saved.artifact.size;
    modified.changes["checksum"] = saved.artifact.sha256;
    model::ArtifactVersionedEvent versioned{.artifact_uri = artifact.uri,
                                            .old_version = std::to_string(saved.artifact.version - 1),
                                            .new_version = *artifact.version,
                                            .timestamp = at};
    versioned.reason = reason;
    return {modified, versioned};
}

int count_events(const Saved& saved)
{
    switch (saved.change) {
    case ArtifactChange::unchanged: return 0;
    case ArtifactChange::created:
    case ArtifactChange::deleted: return 1;
    case ArtifactChange::modified: return 2;
    }
    return 0;
}

}  // namespace cadre::engine
