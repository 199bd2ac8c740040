// Workspace: the folder in which tools work, as we see it: whatever stands there, and changes while we look, no link is followed.
#pragma once

#include "base/time.hpp"
#include "storage/files.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::artifacts {

/// Enough to see that a file is another one, or holds something else.
struct Mark {
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t modified = 0;  // nanoseconds
    std::int64_t changed = 0;   // also its name, its owner, its links

    bool operator==(const Mark&) const = default;
    /// A file that changes in the same tick of the file system's clock keeps its mark: what was looked at so soon may be another by now.
    bool is_settled() const;
};

struct OpenFile {
    storage::Descriptor file{};
    Mark mark{};
    std::string problem{};  // why it is not open; empty: there is no such file
};

class Workspace {
public:
    /// The folder need not exist: then it is empty, until something is put there.
    explicit Workspace(std::filesystem::path folder);

    bool exists() const { return static_cast<bool>(root_); }
    /// A regular file that has no other name.
    OpenFile open(const std::string& path) const;
    /// The same of an open one, as it is now.
    static std::optional<Mark> mark_of(int file);

    /// Paths of regular files, sorted, without those that are ours; at most `most`. False: there are more, or folders too deep.
    bool list(std::vector<std::string>& paths, std::size_t most) const;

    /// Puts what the open file holds under that name, in one step, and makes the folders above it. Throws Error(conflict) where that cannot
    /// be: a folder stands there, or a link leads there.
    void put(const std::string& path, int content);
    /// The same for what people see and nobody reads back: not synced. False: it cannot be.
    bool show(const std::string& path, std::string_view text);
    /// A copy that nobody is to write to, with that time.
    bool show(const std::string& path, int content, Time at);
    /// Whether such a copy of so many bytes is there, and nobody has written to it.
    bool shows(const std::string& path, std::uint64_t size, Time at) const;
    /// Names directly in a folder.
    std::vector<std::string> names_in(const std::string& folder) const;
    void remove(const std::string& path);

private:
    void make();
    storage::Descriptor folder_of(const std::string& path, std::string& name);

    std::filesystem::path folder_;
    storage::Descriptor root_;  // none: the folder does not exist
};

}  // namespace cadre::artifacts
