// Where the content of artifacts is kept. Versions are counted by the engine, from the journal.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "model/type.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::engine {

/// A file that a pattern makes.
struct ArtifactDraft {
    std::string agent{};
    std::string path{};  // below the task's artifacts; without a folder, one is chosen by type
    std::string content{};
    std::string mime_type{};  // empty: by its name
    std::string description{};
    std::vector<std::string> tags{};
};

/// Content that will survive a crash.
struct KeptBlob {
    std::string path{};  // with the folder that was chosen
    std::string sha256{};
    std::int64_t size = 0;
    std::string mime_type{};
};

/// One version of a file, as the journal has it.
struct SavedVersion {
    std::string path{};
    int version = 0;  // from 1 on, of this path
    std::string sha256{};
    std::int64_t size = 0;
    std::string mime_type{};
    std::string description{};
    std::vector<std::string> tags{};

    bool operator==(const SavedVersion&) const = default;
};
const model::Entity& describe(const SavedVersion*);

enum class ArtifactChange : std::uint8_t { created, modified, unchanged, deleted };
std::span<const model::EnumName> names_of(const ArtifactChange*);

struct Saved {
    SavedVersion artifact{};  // of a file that was deleted: its last version
    ArtifactChange change = ArtifactChange::created;
    std::optional<std::int64_t> before{};  // bytes of the version that it follows

    bool operator==(const Saved&) const = default;
};
const model::Entity& describe(const Saved*);

/// What lies in a task's folder; the content of the files will survive a crash.
struct FoundFiles {
    std::vector<KeptBlob> files{};
    bool is_all = false;                  // what is not among them is not there, but for `kept_out`
    std::vector<std::string> kept_out{};  // paths that are there, and are not kept
    std::vector<std::string> problems{};  // why not: sentences for the model, each told once
};

/// Lives on the loop of whoever asks, and longer.
class ArtifactPort {
public:
    /// Durable when it returns, and in the task's folder; no version of it is listed before the journal says so. The same content again is
    /// the same blob. Throws Error(too_large), Error(invalid) and Error(conflict) that name file and limit.
    virtual Async<KeptBlob> keep(Id task, ArtifactDraft draft) = 0;
    /// What a tool has left in the task's folder: the files that it names, or all.
    virtual Async<FoundFiles> collect(Id task, std::vector<std::string> named, bool all) = 0;

protected:
    ~ArtifactPort() = default;
};

}  // namespace cadre::engine
