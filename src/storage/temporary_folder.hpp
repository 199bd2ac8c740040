// A folder for as long as somebody needs it.
#pragma once

#include <filesystem>
#include <string_view>

namespace cadre::storage {

/// Below the folder for temporary files, ours alone; gone with everything in it when this is.
class TemporaryFolder {
public:
    /// Throws Error(unavailable).
    explicit TemporaryFolder(std::string_view prefix = "cadre");
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();

    const std::filesystem::path& path() const { return path_; }
    /// It stays.
    void keep() { kept_ = true; }

private:
    std::filesystem::path path_;
    bool kept_ = false;
};

}  // namespace cadre::storage
