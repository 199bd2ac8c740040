// What doors show of the files that a task has made, and what can be asked of the owner of a home about them; home/verbs.cpp lists that
// with all other requests.
#pragma once

#include "base/id.hpp"
#include "base/time.hpp"
#include "engine/artifact_history.hpp"
#include "engine/principal.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {
struct TaskState;
}

namespace cadre::home {

/// A file that a task has made, as it is now: 004's artifact, and where and since when.
struct ArtifactEntry {
    std::string path{};
    std::string uri{};
    std::string mime_type{};
    std::int64_t size_bytes = 0;
    std::optional<std::string> version{};  // none: an older release wrote it, which counted no versions
    std::optional<std::string> checksum{};
    std::optional<std::string> created_by{};
    std::optional<std::string> description{};
    std::vector<std::string> tags{};
    std::optional<Time> updated_at{};
    bool deleted = false;

    bool operator==(const ArtifactEntry&) const = default;
};
const model::Entity& describe(const ArtifactEntry*);

struct VersionEntry {
    std::string version{};
    std::string checksum{};
    std::int64_t size_bytes = 0;
    std::string mime_type{};
    std::optional<std::string> created_by{};
    Time created_at{};
    std::string reason{};
    bool kept = true;  // its content can be had
};
const model::Entity& describe(const VersionEntry*);

struct VersionList {
    std::string path{};
    bool deleted = false;
    std::vector<VersionEntry> versions{};
};
const model::Entity& describe(const VersionList*);

ArtifactEntry entry_of(const artifacts::Version& version, bool deleted);
/// By path. Files in `folder` that its tools say to have written and that have no versions are among them. Blocks.
std::vector<ArtifactEntry> entries_of(const engine::TaskState& state, const engine::Histories& histories,
                                      const std::filesystem::path& folder);
/// The oldest first.
VersionList versions_in(const engine::Histories& histories, const std::string& path);

/// Throws Error(not_found) that says what there is instead.
const artifacts::History& get_history(const engine::Histories& histories, const std::string& path);
/// Nothing for `number`: the newest, unless the file is gone.
const artifacts::Version& get_version(const engine::Histories& histories, const std::string& path,
                                      std::optional<int> number);

/// Makes a version of a file the newest one again, as a new version.
struct RestoreArtifact {
    using Answer = ArtifactEntry;
    static constexpr std::string_view verb = "restore_artifact";
    static constexpr engine::Act act = engine::Act::change;

    Id task{};
    std::string path{};
    int version = 0;
};
const model::Entity& describe(const RestoreArtifact*);

}  // namespace cadre::home
