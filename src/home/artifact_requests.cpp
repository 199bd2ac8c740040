#include "home/artifact_requests.hpp"

#include "artifacts/keeper.hpp"
#include "artifacts/media_type.hpp"
#include "artifacts/path.hpp"
#include "artifacts/shown.hpp"
#include "artifacts/workspace.hpp"
#include "base/error.hpp"
#include "base/plural.hpp"
#include "engine/task_state.hpp"
#include "model/describe.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::home {

using model::Entity;
using model::field;
using model::Home;

namespace {

constexpr std::string_view kPath = "In its folder of artifacts.";

}  // namespace

const Entity& describe(const ArtifactEntry*)
{
    static const Entity entity{
        .name = "artifact_entry",
        .doc = "A file that a task has made, as it is now.",
        .fields = {field("path", &ArtifactEntry::path, kPath), field("uri", &ArtifactEntry::uri, "The same as a URI."),
                   field("mime_type", &ArtifactEntry::mime_type, "What it is."),
                   field("size_bytes", &ArtifactEntry::size_bytes, "How large it is."),
                   field("version", &ArtifactEntry::version,
                         "Which one it is, counted from 1; null: written by a release that counted none."),
                   field("checksum", &ArtifactEntry::checksum, "SHA-256 of its content."),
                   field("created_by", &ArtifactEntry::created_by, "The tool, agent or person that wrote it."),
                   field("description", &ArtifactEntry::description, "What it is for."),
                   field("tags", &ArtifactEntry::tags, "Words to find it by."),
                   field("updated_at", &ArtifactEntry::updated_at, "Since when it is so."),
                   field("deleted", &ArtifactEntry::deleted, "Whether it is gone; its versions are not.")},
        .home = {Home::Kind::message}};
    return entity;
}

const Entity& describe(const VersionEntry*)
{
    static const Entity entity{
        .name = "version_entry",
        .doc = "One version of a file.",
        .fields = {field("version", &VersionEntry::version, "Which one, counted from 1."),
                   field("checksum", &VersionEntry::checksum, "SHA-256 of its content."),
                   field("size_bytes", &VersionEntry::size_bytes, "How large it was."),
                   field("mime_type", &VersionEntry::mime_type, "What it was."),
                   field("created_by", &VersionEntry::created_by, "The tool, agent or person that wrote it."),
                   field("created_at", &VersionEntry::created_at, "When."),
                   field("reason", &VersionEntry::reason, "`tool`, `save`, `upload` or `restore`."),
                   field("kept", &VersionEntry::kept,
                         "Whether its content is kept: of very many versions, the first and the latest are.")},
        .home = {Home::Kind::message}};
    return entity;
}

const Entity& describe(const VersionList*)
{
    static const Entity entity{.name = "version_list",
                               .doc = "All versions of a file.",
                               .fields = {field("path", &VersionList::path, kPath),
                                          field("deleted", &VersionList::deleted, "Whether the file is gone."),
                                          field("versions", &VersionList::versions, "The oldest first.")},
                               .home = {Home::Kind::message}};
    return entity;
}

const Entity& describe(const RestoreArtifact*)
{
    static const Entity entity{
        .name = "restore_artifact",
        .doc = "Makes a version of a file the newest one again, as a new version.",
        .fields = {field("task", &RestoreArtifact::task, "The task.", {.required = true}),
                   field("path", &RestoreArtifact::path, kPath, {.required = true}),
                   field("version", &RestoreArtifact::version, "Which one.", {.required = true, .min = 1})}};
    return entity;
}

ArtifactEntry entry_of(const artifacts::Version& version, bool deleted)
{
    model::Artifact artifact = artifacts::to_artifact(version);
    return {.path = version.path,
            .uri = std::move(artifact.uri),
            .mime_type = std::move(artifact.mime_type),
            .size_bytes = version.size,
            .version = std::move(artifact.version),
            .checksum = std::move(artifact.checksum),
            .created_by = std::move(artifact.created_by),
            .description = std::move(artifact.description),
            .tags = std::move(artifact.tags),
            .updated_at = version.at,
            .deleted = deleted};
}

std::vector<ArtifactEntry> entries_of(const engine::TaskState& state, const engine::Histories& histories,
                                      const std::filesystem::path& folder)
{
    std::vector<ArtifactEntry> entries;
    for (const auto& [path, history] : histories) entries.push_back(entry_of(history.versions.back(), history.deleted));
    std::optional<artifacts::Workspace> files;
    for (const std::string& written : state.written) {
        if (artifacts::problem_with(written)) continue;
        const std::string path = artifacts::plain_path(written);
        if (histories.contains(path)) continue;
        if (!files) files.emplace(folder);
        const artifacts::OpenFile file = files->open(path);
        if (!file.file) continue;
        entries.push_back({.path = path,
                           .uri = "file://artifacts/" + path,
                           .mime_type = std::string(artifacts::media_type_of(path)),
                           .size_bytes = static_cast<std::int64_t>(file.mark.size)});
    }
    std::ranges::sort(entries, {}, &ArtifactEntry::path);
    return entries;
}

VersionList versions_in(const engine::Histories& histories, const std::string& path)
{
    const artifacts::History& history = get_history(histories, path);
    VersionList list{.path = path, .deleted = history.deleted};
    const int newest = history.versions.back().version;
    list.versions.reserve(history.versions.size());
    for (const artifacts::Version& version : history.versions) {
        VersionEntry& entry = list.versions.emplace_back(
            VersionEntry{.version = std::to_string(version.version),
                         .checksum = version.sha256,
                         .size_bytes = version.size,
                         .mime_type = version.mime_type,
                         .created_at = version.at,
                         .reason = version.reason,
                         .kept = artifacts::keeps_content(version.version, newest, artifacts::Limits().versions)});
        if (!version.by.empty()) entry.created_by = version.by;
    }
    return list;
}

const artifacts::History& get_history(const engine::Histories& histories, const std::string& path)
{
    const auto found = histories.find(path);
    if (found == histories.end() || found->second.versions.empty())
        throw Error(Code::not_found, "the task has no file " + in_quotes(path));
    return found->second;
}

const artifacts::Version& get_version(const engine::Histories& histories, const std::string& path,
                                      std::optional<int> number)
{
    const artifacts::History& history = get_history(histories, path);
    if (!number && history.deleted)
        throw Error(Code::not_found, fmt::format("{} was deleted; its {} there, ask for one of them", in_quotes(path),
                                                 history.versions.size() == 1 ? "version is" : "versions are"));
    if (!number) return history.versions.back();
    const auto found = std::ranges::find(history.versions, *number, &artifacts::Version::version);
    if (found == history.versions.end())
        throw Error(Code::not_found, fmt::format("{} has no version {}; it has {}", in_quotes(path), *number,
                                                 plural(history.versions.size(), "version")));
    return *found;
}

}  // namespace cadre::home
