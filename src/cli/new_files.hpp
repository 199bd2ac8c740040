// Files that are made together.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace cadre::cli {

/// All of them or none: what it has made is taken away again when it dies before keep(). Nothing that was there is touched.
class NewFiles {
public:
    NewFiles() = default;
    NewFiles(const NewFiles&) = delete;
    NewFiles& operator=(const NewFiles&) = delete;
    ~NewFiles();

    /// Makes the folder and those above it, as far as they are missing. Error(unavailable) when that is not possible.
    void folder(const std::filesystem::path& path);
    /// The same for one that is ours with all that others will put into it.
    void whole_folder(const std::filesystem::path& path);
    /// Error(conflict) when the file is there, Error(unavailable) when it cannot be written.
    void file(const std::filesystem::path& path, std::string_view text);

    void keep() { made_.clear(); }

private:
    struct Made {
        std::filesystem::path path;
        bool whole = false;  // with all that is in it
    };
    std::vector<Made> made_;
};

/// While it lives, what is made may be read by whoever the person's own umask lets read it: 0644, and 0755 for folders. The program
/// otherwise writes for its owner alone. For the whole process, so one at a time and with no other thread that writes.
class SharedFiles {
public:
    SharedFiles();
    SharedFiles(const SharedFiles&) = delete;
    SharedFiles& operator=(const SharedFiles&) = delete;
    ~SharedFiles();

private:
    unsigned before_;
};

}  // namespace cadre::cli
