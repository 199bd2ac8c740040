#include "tools/builtin/workspace.hpp"

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/time.hpp"
#include "model/artifact_files.hpp"
#include "tools/builtin/beneath.hpp"
#include "tools/builtin/workspace_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

namespace cadre::tools {

namespace {

constexpr mode_t kFolderMode = 0700, kFileMode = 0600;

std::string read_from(int file, std::uint64_t offset, std::size_t limit, std::string_view path)
{
    std::string bytes(limit, '\0');
    std::size_t count = 0;
    while (count < limit) {
        const ssize_t got = ::pread(file, bytes.data() + count, limit - count, static_cast<off_t>(offset + count));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) raise_at(path, errno);
        if (got == 0) break;
        count += static_cast<std::size_t>(got);
    }
    bytes.resize(count);
    return bytes;
}

void write_all(int file, std::string_view content, std::string_view path)
{
    while (!content.empty()) {
        const ssize_t put = ::write(file, content.data(), content.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) raise_at(path, errno);
        content.remove_prefix(static_cast<std::size_t>(put));
    }
}

/// Older kernels tell the time of a change to a few milliseconds only.
constexpr Millis kClockGrain{20};
constexpr Millis kSettle{30};
constexpr int kLooks = 4;

/// Whether the file had only this name when it was opened, at or after `opened`. A hard link to a file outside is told by its
/// second name, unless one of the two is removed between opening and looking; but that changes the file's ctime. So a file with
/// one name that was last changed before it was opened had one name then too.
bool had_one_name(const struct stat& status, Time opened)
{
    const auto changed = std::chrono::seconds(status.st_ctim.tv_sec) + std::chrono::nanoseconds(status.st_ctim.tv_nsec);
    return status.st_nlink == 1 && changed < opened.time_since_epoch() - kClockGrain;
}

/// Opens the folder and makes what is missing of it, one name at a time.
Descriptor make_folder(int root, const std::vector<std::string>& names)
{
    constexpr int flags = O_PATH | O_DIRECTORY;
    if (Descriptor there = open_beneath(root, path_of(names), flags)) return there;
    if (errno != ENOENT) raise_at(path_of(names), errno);
    Descriptor folder = open_beneath(root, ".", flags);
    for (const std::string& name : names) {
        if (::mkdirat(folder.number(), name.c_str(), kFolderMode) != 0 && errno != EEXIST)
            raise_at(path_of(names), errno);
        folder = open_beneath(folder.number(), name, flags);
        if (!folder) raise_at(path_of(names), errno);
    }
    return folder;
}

/// A name may be free or a file's; links, pipes and folders are left alone.
void check_target(int folder, const std::string& name, std::string_view path)
{
    struct stat status{};
    if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) return;
        raise_at(path, errno);
    }
    if (S_ISDIR(status.st_mode)) raise_at(path, EISDIR);
    if (S_ISLNK(status.st_mode)) raise_at(path, ELOOP);
    if (!S_ISREG(status.st_mode)) raise_at(path, ENXIO);
}

/// A new file that is not yet what it will be called, and is gone when it never comes to that.
class Draft {
public:
    Draft(const Descriptor& folder, std::string name, std::string path)
        : folder_(folder.number()), name_(std::move(name)), path_(std::move(path))
    {
        for (int i = 0; i < kAttempts; ++i) {
            file_ = open_beneath(folder_, name_, O_WRONLY | O_CREAT | O_EXCL, kFileMode);
            if (file_) return;
            if (errno != EEXIST) raise_at(path_, errno);
            ::unlinkat(folder_, name_.c_str(), 0);  // an earlier try of this write left it behind
        }
        raise_at(path_, EAGAIN);
    }
    ~Draft()
    {
        if (!published_) ::unlinkat(folder_, name_.c_str(), 0);
    }
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;

    void fill(std::string_view content) { write_all(file_.number(), content, path_); }
    void publish_as(const std::string& name)
    {
        if (::renameat(folder_, name_.c_str(), folder_, name.c_str()) != 0)
            raise_at(path_, errno == ENOENT ? EAGAIN : errno);
        published_ = true;
    }

private:
    int folder_;
    std::string name_, path_;
    Descriptor file_;
    bool published_ = false;
};

}  // namespace

Workspace::Workspace(std::filesystem::path folder) : folder_(std::move(folder))
{
    if (folder_.empty()) throw Error(Code::unavailable, "This task has no workspace, so there are no files.");
    open();
}

void Workspace::open()
{
    root_ = Descriptor(::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!root_ && errno != ENOENT)
        throw Error(Code::unavailable, fmt::format("The workspace cannot be opened: {}.", system_says(errno)));
}

void Workspace::make()
{
    if (root_) return;
    if (::mkdir(folder_.c_str(), kFolderMode) != 0 && errno != EEXIST)
        throw Error(Code::unavailable, fmt::format("The workspace cannot be made: {}.", system_says(errno)));
    open();
}

FilePiece Workspace::read(std::string_view path, std::uint64_t offset, std::size_t limit) const
{
    const auto names = names_in(path);
    const std::string whole = path_of(names);
    if (names.empty()) raise_at(whole, EISDIR);
    if (!root_) raise_at(whole, ENOENT);
    for (int i = 0; i < kLooks; ++i) {
        const Time opened = system_clock().now();
        const Descriptor file = open_beneath(root_.number(), whole, O_RDONLY | O_NONBLOCK | O_NOCTTY);
        if (!file) raise_at(whole, errno);
        const struct stat status = status_of(file.number(), whole);
        if (S_ISDIR(status.st_mode)) raise_at(whole, EISDIR);
        if (!S_ISREG(status.st_mode)) raise_at(whole, ENXIO);
        if (status.st_nlink > 1)
            throw Error(Code::forbidden,
                        fmt::format("{} has another name too (a hard link), so it is not read.", in_quotes(whole)));
        if (!had_one_name(status, opened)) {  // just written, most likely: look again when that is past
            std::this_thread::sleep_for(kSettle);
            continue;
        }
        FilePiece piece{.bytes = {}, .size = static_cast<std::uint64_t>(status.st_size)};
        const std::uint64_t left = piece.size - std::min(piece.size, offset);
        piece.bytes =
            read_from(file.number(), offset, static_cast<std::size_t>(std::min<std::uint64_t>(left, limit)), whole);
        return piece;
    }
    raise_at(whole, EAGAIN);
}

std::string Workspace::write(std::string_view path, std::string_view content, std::string_view key)
{
    auto names = names_in(path);
    const std::string whole = path_of(names);
    if (names.empty() || path.ends_with('/')) raise_at(whole, EISDIR);
    if (model::lies_in_ours(whole))
        throw Error(
            Code::invalid,
            fmt::format("The path {} is where Cadre keeps what it knows of files; choose another.", in_quotes(whole)));
    make();
    const std::string name = names.back();
    names.pop_back();
    const Descriptor folder = make_folder(root_.number(), names);
    check_target(folder.number(), name, whole);

    Draft draft(folder, draft_name(key, whole), whole);
    draft.fill(content);
    draft.publish_as(name);
    return whole;
}

std::string draft_name(std::string_view key, std::string_view path)
{
    return fmt::format("{}{}{}", model::kDraftStart, to_hex(digest_of(fmt::format("{}\n{}", key, path))),
                       model::kDraftEnd);
}

}  // namespace cadre::tools
