// Bodies that are too large for the journal: files `blobs/ab/<sha-256>`, written before the record that names them.
#pragma once

#include "base/sha256.hpp"
#include "storage/follow.hpp"

#include <filesystem>
#include <string>

namespace cadre::storage {

class BlobFolder {
public:
    explicit BlobFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Durable when it returns.
    Blob write(const std::string& body) const;
    /// Throws Error(unavailable), which names the file, unless it holds what was written.
    std::string read(const Blob& blob) const;

    /// It may be gone already.
    void remove(const Hash& hash) const;

private:
    std::filesystem::path file_of(const Hash& hash) const;

    std::filesystem::path folder_;
};

}  // namespace cadre::storage
