// What is in a workspace.
#include "model/artifact_files.hpp"
#include "tools/builtin/beneath.hpp"
#include "tools/builtin/folder_stream.hpp"
#include "tools/builtin/workspace.hpp"
#include "tools/builtin/workspace_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include <dirent.h>
#include <fcntl.h>

namespace cadre::tools {

namespace {

/// Folders deeper than any path that names_in() accepts are not looked into.
constexpr int kMaxFolderDepth = 32;

Entry entry_of(std::string path, const struct stat& status)
{
    if (S_ISREG(status.st_mode)) return {std::move(path), EntryKind::file, static_cast<std::uint64_t>(status.st_size)};
    if (S_ISDIR(status.st_mode)) return {std::move(path), EntryKind::folder};
    return {std::move(path), S_ISLNK(status.st_mode) ? EntryKind::link : EntryKind::other};
}

class Lister {
public:
    Lister(bool recursive, std::size_t most) : recursive_(recursive), most_(most) {}

    /// Adds what is in the folder `name` of `above`. False when it cannot be opened, and errno says why.
    bool folder(int above, const std::string& name, const std::string& path, int depth)
    {
        Descriptor opened = open_beneath(above, name, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
        if (!opened) return false;
        const FolderStream stream(::fdopendir(opened.number()));
        if (!stream) return false;
        const int here = opened.release();  // the stream closes it

        for (const std::string& inner : names(stream.get())) {
            struct stat status{};
            if (::fstatat(here, inner.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;  // gone meanwhile
            if (out_.entries.size() == most_) {
                out_.complete = false;
                break;
            }
            const std::string inner_path = path == "." ? inner : fmt::format("{}/{}", path, inner);
            out_.entries.push_back(entry_of(inner_path, status));
            // one that cannot be opened stands there without what it holds
            if (recursive_ && S_ISDIR(status.st_mode) && depth < kMaxFolderDepth)
                folder(here, inner, inner_path, depth + 1);
        }
        return true;
    }

    Listing take() { return std::move(out_); }

private:
    /// Sorted; no more than there is room for.
    std::vector<std::string> names(DIR* stream)
    {
        std::vector<std::string> found;
        while (const dirent* entry = ::readdir(stream)) {  // NOLINT(concurrency-mt-unsafe): nobody else has this stream
            const std::string_view name = entry->d_name;
            if (name == "." || name == ".." || model::is_draft(name) || model::is_ours(name)) continue;
            if (found.size() > most_) break;  // one more than fits, so that folder() notices
            found.emplace_back(name);
        }
        std::ranges::sort(found);
        return found;
    }

    Listing out_;
    bool recursive_;
    std::size_t most_;
};

}  // namespace

Listing Workspace::list(std::string_view path, bool recursive, std::size_t most) const
{
    const auto names = names_in(path);
    const std::string whole = path_of(names);
    if (!root_ && names.empty()) return {};
    if (!root_) raise_at(whole, ENOENT);
    Lister lister(recursive, most);
    if (!lister.folder(root_.number(), whole, whole, 0)) raise_at(whole, errno);
    return lister.take();
}

}  // namespace cadre::tools
