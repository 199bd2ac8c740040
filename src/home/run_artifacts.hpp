// What runs make: engine::ArtifactPort over the room artifacts.
#pragma once

#include "artifacts/keeper.hpp"
#include "base/async_fwd.hpp"
#include "engine/artifact_history.hpp"
#include "engine/artifact_port.hpp"

#include <filesystem>
#include <string>

namespace cadre {
class Pool;
}

namespace cadre::home {

/// Everything that it is given outlives it.
class RunArtifacts final : public engine::ArtifactPort {
public:
    /// `folders`: of tasks.
    RunArtifacts(Pool& pool, std::filesystem::path folders) : pool_(pool), keeper_(std::move(folders)) {}

    Async<engine::KeptBlob> keep(Id task, engine::ArtifactDraft draft) override;
    Async<engine::FoundFiles> collect(Id task, std::vector<std::string> named, bool all) override;

    /// Somebody's file, where its path says.
    Async<engine::KeptBlob> upload(Id task, artifacts::Draft draft);
    /// The file is that version again. Throws Error(not_found) when its content is not kept, and Error(conflict) when there is something
    /// else of that name.
    Async<> put(Id task, std::string path, std::string sha256);
    /// Files of a task that have changed behind what these say become what they were, as far as that works.
    Async<> put_back(Id task, engine::Histories histories);

    artifacts::Keeper& keeper() { return keeper_; }

private:
    Pool& pool_;
    artifacts::Keeper keeper_;
};

}  // namespace cadre::home
