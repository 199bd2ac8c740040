// Where the content of artifacts is kept. Versions are counted by the engine, from the journal.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "model/type.hpp"

#include <cstdint>
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

enum class ArtifactChange : std::uint8_t { created, modified, unchanged };
std::span<const model::EnumName> names_of(const ArtifactChange*);

struct Saved {
    SavedVersion artifact{};
    ArtifactChange change = ArtifactChange::created;
};

/// Lives on the loop of whoever asks, and longer.
class ArtifactPort {
public:
    /// Durable when it returns, and nothing is listed before the journal says so. The same content again is the same blob. Throws
    /// Error(too_large) and Error(invalid) that name file and limit.
    virtual Async<KeptBlob> keep(Id task, ArtifactDraft draft) = 0;

protected:
    ~ArtifactPort() = default;
};

}  // namespace cadre::engine
