#include "home/run_artifacts.hpp"

#include "artifacts/path.hpp"
#include "base/async.hpp"
#include "base/error.hpp"
#include "base/pool.hpp"
#include "model/artifact_files.hpp"

#include <algorithm>
#include <utility>

namespace cadre::home {
namespace {

engine::KeptBlob blob_of(artifacts::KeptFile file)
{
    return {.path = std::move(file.path),
            .sha256 = std::move(file.sha256),
            .size = file.size,
            .mime_type = std::move(file.mime_type)};
}

/// As the folder has them, so that one file has one path. What is ours is not theirs to name.
void make_plain(std::vector<std::string>& paths)
{
    std::erase_if(paths, model::lies_in_ours);
    for (std::string& path : paths)
        if (!artifacts::problem_with(path)) path = artifacts::plain_path(path);
}

}  // namespace

Async<engine::KeptBlob> RunArtifacts::keep(Id task, engine::ArtifactDraft draft)
{
    artifacts::Draft file{.agent = std::move(draft.agent),
                          .path = std::move(draft.path),
                          .content = std::move(draft.content),
                          .mime_type = std::move(draft.mime_type),
                          .description = std::move(draft.description),
                          .tags = std::move(draft.tags)};
    co_return co_await upload(task, std::move(file));
}

/// The file first: what is on record lies there.
Async<engine::KeptBlob> RunArtifacts::upload(Id task, artifacts::Draft draft)
{
    co_return co_await on(pool_, [this, id = to_string(task), draft = std::move(draft)] {
        artifacts::KeptFile kept = keeper_.keep(id, draft);
        keeper_.put(id, kept.path, kept.sha256);
        return blob_of(std::move(kept));
    });
}

Async<engine::FoundFiles> RunArtifacts::collect(Id task, std::vector<std::string> named, bool all)
{
    make_plain(named);
    const std::string id = to_string(task);
    if (!keeper_.has_files(id)) co_return engine::FoundFiles{.is_all = all};
    artifacts::Found found =
        co_await on(pool_, [this, id, named = std::move(named), all] { return keeper_.collect(id, named, all); });
    engine::FoundFiles files{
        .is_all = found.is_all, .kept_out = std::move(found.kept_out), .problems = std::move(found.problems)};
    for (artifacts::KeptFile& file : found.files) files.files.push_back(blob_of(std::move(file)));
    co_return files;
}

Async<> RunArtifacts::put(Id task, std::string path, std::string sha256)
{
    co_await on(pool_, [this, id = to_string(task), path = std::move(path), sha256 = std::move(sha256)] {
        keeper_.put(id, path, sha256);
    });
}

Async<> RunArtifacts::put_back(Id task, engine::Histories histories)
{
    co_await on(pool_, [this, id = to_string(task), histories = std::move(histories)] {
        std::vector<std::string> paths;
        for (const auto& [path, history] : histories)
            if (!history.deleted) paths.push_back(path);
        const artifacts::Found found = keeper_.collect(id, paths, false);
        for (const std::string& path : paths) {
            const std::string& sha256 = histories.at(path).versions.back().sha256;
            const auto there = std::ranges::find(found.files, path, &artifacts::KeptFile::path);
            if (there != found.files.end() && there->sha256 == sha256) continue;
            try {
                keeper_.put(id, path, sha256);
            } catch (const Error&) {
                // it is not kept here, or something else has that name: the file stays as it is
            }
        }
    });
}

}  // namespace cadre::home
