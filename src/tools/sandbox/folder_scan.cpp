#include "tools/sandbox/folder_scan.hpp"

#include "model/artifact_files.hpp"
#include "tools/builtin/beneath.hpp"
#include "tools/builtin/folder_stream.hpp"
#include "tools/sandbox/kept_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <string_view>
#include <unistd.h>

namespace cadre::tools {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBlock = 512;

/// What it takes, or what it says that it has: holes are written out wherever it is copied to.
std::uint64_t bytes_of(const struct stat& status)
{
    const auto taken = static_cast<std::uint64_t>(status.st_blocks) * kBlock;
    return S_ISREG(status.st_mode) ? std::max(taken, static_cast<std::uint64_t>(status.st_size)) : taken;
}

/// A folder that the program has closed to everybody is opened again: it is ours too.
Descriptor open_inner(int above, const std::string& name)
{
    Descriptor opened = open_beneath(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (opened || errno != EACCES) return opened;
    const Descriptor place = open_beneath(above, name, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (!place || ::chmod(("/proc/self/fd/" + std::to_string(place.number())).c_str(), 0700) != 0) return {};
    return open_beneath(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

/// Calls `visit(folder, name, path, status)` for all that is in a folder, and `leave(folder, name, path)` after what is in a folder
/// inside of it; what is too deep is given to `stop` instead. The first may end it by returning false.
class Walk {
public:
    using Visit = std::function<bool(int, const char*, const std::string&, const struct stat&)>;
    using Leave = std::function<void(int, const char*, const std::string&)>;

    Walk(Visit visit, Leave leave, Leave stop)
        : visit_(std::move(visit)), leave_(std::move(leave)), stop_(std::move(stop))
    {}

    bool into(Descriptor opened, const std::string& path, int depth)
    {
        if (!opened) return true;
        const FolderStream stream(::fdopendir(opened.number()));
        if (!stream) return true;
        const int here = opened.release();  // the stream closes it
        while (const dirent* entry =
                   ::readdir(stream.get())) {  // NOLINT(concurrency-mt-unsafe): nobody else has this stream
            const std::string name = entry->d_name;
            struct stat status{};
            if (name == "." || name == ".." || ::fstatat(here, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
                continue;
            const std::string inner = path.empty() ? name : path + "/" + name;
            if (!visit_(here, name.c_str(), inner, status)) return false;
            if (!S_ISDIR(status.st_mode)) continue;
            if (depth == kMostFolderDepth) {
                stop_(here, name.c_str(), inner);
                continue;
            }
            if (!into(open_inner(here, name), inner, depth + 1)) return false;
            leave_(here, name.c_str(), inner);
        }
        return true;
    }

private:
    Visit visit_;
    Leave leave_, stop_;
};

Descriptor open_folder(const fs::path& folder)
{
    return Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

}  // namespace

FolderScan scan_folder(const fs::path& folder, std::size_t most)
{
    FolderScan scan;
    Walk walk(
        [&](int, const char*, const std::string& path, const struct stat& status) {
            ++scan.entries;
            scan.bytes += bytes_of(status);
            if (model::lies_in_ours(path)) {
                ++scan.our_entries;
                scan.our_bytes += bytes_of(status);
            }
            if (S_ISDIR(status.st_mode)) scan.folders.insert(path);
            if (S_ISREG(status.st_mode))
                scan.files[path] = {.inode = status.st_ino,
                                    .size = static_cast<std::uint64_t>(status.st_size),
                                    .changed = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
            return scan.entries < most;
        },
        [](int, const char*, const std::string&) {},
        [&](int, const char*, const std::string&) { scan.is_too_deep = true; });
    walk.into(open_folder(folder), "", 0);
    return scan;
}

std::vector<std::string> changed_files(const FolderScan& before, const FolderScan& after)
{
    std::vector<std::string> changed;
    for (const auto& [path, mark] : after.files) {
        const auto old = before.files.find(path);
        if (model::lies_in_ours(path)) continue;  // versions may be shown while the program runs
        if (old == before.files.end() || old->second != mark) changed.push_back(valid_utf8(path));
    }
    return changed;
}

void remove_new(const fs::path& folder, const FolderScan& before) noexcept
try {
    const Descriptor top = open_folder(folder);
    std::size_t raised = 0, done = 0;
    Walk walk(
        [&](int above, const char* name, const std::string& path, const struct stat& status) {
            if (!S_ISDIR(status.st_mode) && !before.files.contains(path)) ::unlinkat(above, name, 0);
            return true;
        },
        [&](int above, const char* name, const std::string& path) {
            if (!before.folders.contains(path)) ::unlinkat(above, name, AT_REMOVEDIR);
        },
        [&](int above, const char* name, const std::string&) {  // nearer, where the next round finds it
            const std::string nearer = ".deep-" + std::to_string(raised);
            if (::renameat2(above, name, top.number(), nearer.c_str(), RENAME_NOREPLACE) == 0) ++raised;
        });
    do {
        done = raised;
        walk.into(open_folder(folder), "", 0);
    } while (raised > done);
} catch (...) {  // no memory: they stay
}

}  // namespace cadre::tools
