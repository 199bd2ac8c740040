// PrivateFolder: a folder of files that are ours alone, entered and written without ever following a link.
#pragma once

#include "storage/files.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::storage {

/// Names are relative to it, with slashes: `.agentx/logs/tools.log`. Folders (0700) and files (0600) are made as they are
/// needed. Nothing is synced: what is written here can be made again. Throws Error(unavailable) that names the path. Used by
/// one thread at a time.
class PrivateFolder {
public:
    /// The last part of the path may be missing; then it is made.
    explicit PrivateFolder(const std::filesystem::path& folder);
    /// Nothing when there is no such folder.
    static std::optional<PrivateFolder> find(const std::filesystem::path& folder);
    /// One that nobody sees under this path until publish(), for when there is none yet. What an earlier one has left is gone.
    static PrivateFolder draft(const std::filesystem::path& folder);

    /// Shows a draft, with all that was written into it, at once. False: there is something in such a folder meanwhile, and the
    /// draft is gone.
    bool publish();

    /// Puts `text` under this name, whole or not at all.
    void replace(std::string_view name, std::string_view text);
    /// Appends `text` behind the first `size` bytes of the file; what stood behind them is gone. False, and nothing is changed,
    /// when the file has fewer, or is no file of ours. With size 0 it is made.
    bool append(std::string_view name, std::uint64_t size, std::string_view text);
    /// Nothing when there is no such file, or it is a link or larger than `limit`.
    std::optional<std::string> read(std::string_view name, std::size_t limit);

    /// What lies directly in the folder.
    void each(const std::function<void(const std::string& name)>& visit) const;
    /// Bytes of the files, and of all files below folders, whose names directly in this one count; links are nothing.
    std::uint64_t size_of(const std::function<bool(const std::string& name)>& counts) const;
    /// Removes a file, a link itself, or a folder with all that is in it. It may be gone already.
    void remove(const std::string& name);

private:
    PrivateFolder(std::filesystem::path path, Descriptor self);

    /// The folder that `name` lies in, and its last part.
    std::pair<int, std::string> place_of(std::string_view name);
    /// Makes the file; false: there is one.
    bool make(int folder, const std::string& last, std::string_view text) const;

    std::filesystem::path path_;
    Descriptor self_;
    std::map<std::string, Descriptor, std::less<>> folders_;  // those below, by their names
    bool unseen_ = false;                                     // a draft: nobody reads, and all that is in it is ours
};

}  // namespace cadre::storage
