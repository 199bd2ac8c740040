// What the owner of a home does to the files that a task has made.
#include "artifacts/path.hpp"
#include "base/async.hpp"
#include "base/crash_point.hpp"
#include "base/error.hpp"
#include "engine/upkeep.hpp"
#include "home/home_owner.hpp"
#include "home/run_artifacts.hpp"

namespace cadre::home {
namespace {

engine::SavedVersion saved_version(const artifacts::Version& version)
{
    return {.path = version.path,
            .sha256 = version.sha256,
            .size = version.size,
            .mime_type = version.mime_type,
            .description = version.description,
            .tags = version.tags};
}

}  // namespace

/// As its journal has it now.
Async<ArtifactEntry> HomeOwner::record_file(engine::Principal by, Id task, std::string what,
                                            engine::SavedVersion version)
{
    const std::string path = version.path;
    engine::Upkeep upkeep{.what = std::move(what), .artifact = std::move(version)};
    co_await runtime_->commands().upkeep(by, task, std::move(upkeep));
    const auto records = co_await runtime_->queries().records(by, task);
    const engine::Histories histories = engine::histories_of(records);
    co_return entry_of(get_version(histories, path, {}), false);
}

Async<ArtifactEntry> HomeOwner::perform(engine::Principal by, RestoreArtifact request)
{
    if (leaving_) throw Leaving{};
    co_await runtime_->queries().expect(by, engine::Act::change, request.task);
    const std::string path = artifacts::plain_path(request.path);
    const auto records = co_await runtime_->queries().records(by, request.task);
    const engine::Histories histories = engine::histories_of(records);
    engine::SavedVersion version = saved_version(get_version(histories, path, request.version));
    // first: what is on record lies there
    co_await runtime_->artifacts().put(request.task, path, version.sha256);
    crash_point("artifact_put");
    co_return co_await record_file(std::move(by), request.task, "restore", std::move(version));
}

Async<ArtifactEntry> HomeOwner::upload(engine::Principal by, Id task, artifacts::Draft draft)
{
    if (leaving_) throw Leaving{};
    co_await runtime_->queries().task_for(by, engine::Act::change, task);  // what became of it, if it is not there
    draft.has_place = true;
    engine::SavedVersion version{.description = draft.description, .tags = draft.tags};
    engine::KeptBlob kept = co_await runtime_->artifacts().upload(task, std::move(draft));
    version.path = std::move(kept.path);
    version.sha256 = std::move(kept.sha256);
    version.size = kept.size;
    version.mime_type = std::move(kept.mime_type);
    co_return co_await record_file(std::move(by), task, "upload", std::move(version));
}

}  // namespace cadre::home
