#include "artifacts/shown.hpp"

#include "artifacts/contents.hpp"
#include "artifacts/keeper.hpp"
#include "artifacts/workspace.hpp"
#include "base/json_writer.hpp"
#include "model/artifact_files.hpp"
#include "model/write.hpp"

#include <set>
#include <utility>

namespace cadre::artifacts {

namespace {

struct Place {
    std::string folder;  // with a slash at its end, or empty
    std::string name;
};

Place place_of(const std::string& path)
{
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return {"", path};
    return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

}  // namespace

model::Artifact to_artifact(const Version& version)
{
    model::Artifact artifact{.uri = "file://artifacts/" + version.path,
                             .mime_type = version.mime_type,
                             .size_bytes = version.size,
                             .version = std::to_string(version.version),
                             .checksum = version.sha256,
                             .tags = version.tags};
    if (!version.description.empty()) artifact.description = version.description;
    if (!version.by.empty()) artifact.created_by = version.by;
    return artifact;
}

void show_versions(Workspace& files, const Contents& contents, const std::map<std::string, History>& histories,
                   std::size_t most)
{
    for (const auto& [path, history] : histories) {
        const Place place = place_of(path);
        const std::string folder = place.folder + std::string(model::kVersionsFolder) + "/" + place.name;
        std::set<std::string> wanted;
        if (history.versions.size() > 1 || history.deleted)
            for (const Version& version : history.versions)
                if (keeps_content(version.version, history.versions.back().version, most)) {
                    const std::string name = std::to_string(version.version);
                    wanted.insert(name);
                    if (files.shows(folder + "/" + name, static_cast<std::uint64_t>(version.size), version.at))
                        continue;
                    if (const auto content = contents.find(version.sha256))
                        files.show(folder + "/" + name, content.get(), version.at);
                }
        for (const std::string& name : files.names_in(folder))
            if (!wanted.contains(name)) files.remove(folder + "/" + name);
    }
}

void show_metadata(Workspace& files, const std::map<std::string, History>& histories)
{
    std::map<std::string, std::string> texts;  // by folder
    for (const auto& [path, history] : histories) {
        if (history.versions.empty()) continue;
        const Version& newest = history.versions.back();
        const Place place = place_of(path);
        std::string& text = texts[place.folder];
        text += text.empty() ? "{\n  \"artifacts\": {\n    " : ",\n    ";
        append_json_string(text, place.name);
        text += ": {";
        std::string artifact = model::to_json_text(to_artifact(newest));
        text += artifact.substr(1, artifact.size() - 2);
        text += ",\"updated_at\":";
        append_json_string(text, to_iso(newest.at));
        if (history.deleted) text += ",\"deleted\":true";
        text += '}';
    }
    for (auto& [folder, text] : texts) {
        text += "\n  }\n}\n";
        files.show(folder + std::string(model::kMetadataFile), text);
    }
}

}  // namespace cadre::artifacts
