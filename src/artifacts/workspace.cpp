#include "artifacts/workspace.hpp"

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/time.hpp"
#include "model/artifact_files.hpp"
#include "storage/beneath.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace cadre::artifacts {

namespace {

using storage::Descriptor;
using storage::open_beneath;

constexpr int kDeepestScan = 32;
constexpr mode_t kCopy = 0400;
/// Of the clock by which file systems tell times; twice what kernels have.
constexpr std::chrono::milliseconds kTick{20};

struct Close {
    void operator()(DIR* folder) const { ::closedir(folder); }
};

std::int64_t nanoseconds(const timespec& time)
{
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

timespec timespec_of(Time at)
{
    const auto since = at.time_since_epoch();
    const auto whole = std::chrono::floor<std::chrono::seconds>(since);
    timespec time{};
    time.tv_sec = whole.count();
    time.tv_nsec = std::chrono::duration_cast<std::chrono::nanoseconds>(since - whole).count();
    return time;
}

Mark mark_in(const struct stat& status)
{
    return {.inode = status.st_ino,
            .size = static_cast<std::uint64_t>(status.st_size),
            .modified = nanoseconds(status.st_mtim),
            .changed = nanoseconds(status.st_ctim)};
}

/// False: there were more.
bool list_in(Descriptor folder, const std::string& above, int depth, std::vector<std::string>& paths, std::size_t most)
{
    const std::unique_ptr<DIR, Close> list(folder ? ::fdopendir(folder.get()) : nullptr);
    if (!list) return false;            // a program has closed it, even for us
    const int here = folder.release();  // the list closes it
    bool is_all = true;
    while (const dirent* item = ::readdir(list.get())) {  // NOLINT(concurrency-mt-unsafe): nobody else has this list
        const std::string name = item->d_name;
        if (name == "." || name == ".." || model::is_ours(name) || model::is_draft(name)) continue;
        struct stat status{};
        if (::fstatat(here, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
        std::string path = above.empty() ? name : above + "/" + name;
        if (S_ISREG(status.st_mode)) {
            if (paths.size() == most) return false;
            paths.push_back(std::move(path));
        } else if (S_ISDIR(status.st_mode)) {
            if (depth == kDeepestScan) is_all = false;
            else if (!list_in(open_beneath(here, name, O_RDONLY | O_DIRECTORY), path, depth + 1, paths, most))
                is_all = false;
            if (paths.size() == most && !is_all) return false;
        }
    }
    return is_all;
}

[[noreturn]] void cannot_put(const std::string& path, int error)
{
    throw Error(Code::conflict,
                fmt::format("{} cannot be written into the task's folder: {}", in_quotes(path),
                            error == EISDIR    ? "there is a folder of that name"
                            : error == ELOOP   ? "there is a link on the way"
                            : error == ENOTDIR ? "something on the way is not a folder"
                                               : std::error_code(error, std::generic_category()).message()));
}

/// A new file beside the one that it will be; gone when it never comes to that.
class UnfinishedFile {
public:
    UnfinishedFile(int folder, const std::string& path)
        : folder_(folder),
          name_(fmt::format("{}{}{}", model::kDraftStart, to_hex(digest_of("artifact\n" + path)), model::kDraftEnd))
    {
        ::unlinkat(folder_, name_.c_str(), 0);  // of one that a crash has cut off
        file_ = open_beneath(folder_, name_, O_WRONLY | O_CREAT | O_EXCL, storage::kPrivateFile);
    }
    UnfinishedFile(const UnfinishedFile&) = delete;
    UnfinishedFile& operator=(const UnfinishedFile&) = delete;
    ~UnfinishedFile()
    {
        if (file_ && !done_) ::unlinkat(folder_, name_.c_str(), 0);
    }

    explicit operator bool() const { return static_cast<bool>(file_); }
    int file() const { return file_.get(); }
    /// By the kernel, which shares what it can.
    bool copy(int from) const
    {
        off_t begin = 0;
        while (true) {
            const ssize_t size = ::copy_file_range(from, &begin, file(), nullptr, std::size_t{1} << 30, 0);
            if (size < 0 && errno == EINTR) continue;
            if (size <= 0) return size == 0;
        }
    }
    bool write(std::string_view text) const
    {
        while (!text.empty()) {
            const ssize_t put = ::write(file(), text.data(), text.size());
            if (put < 0 && errno == EINTR) continue;
            if (put < 0) return false;
            text.remove_prefix(static_cast<std::size_t>(put));
        }
        return true;
    }
    bool publish(const std::string& name)
    {
        struct stat status{};
        if (::fstatat(folder_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(status.st_mode)) {
            errno = S_ISDIR(status.st_mode) ? EISDIR : ELOOP;
            return false;
        }
        done_ = ::renameat(folder_, name_.c_str(), folder_, name.c_str()) == 0;
        return done_;
    }

private:
    int folder_;
    std::string name_;
    Descriptor file_;
    bool done_ = false;
};

}  // namespace

bool Mark::is_settled() const
{
    const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(system_clock().now().time_since_epoch());
    return changed + std::chrono::nanoseconds(kTick).count() < now.count();
}

Workspace::Workspace(std::filesystem::path folder) : folder_(std::move(folder))
{
    root_ = Descriptor(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!root_ && errno != ENOENT) storage::throw_errno("open the folder", folder_);
}

void Workspace::make()
{
    if (root_) return;
    storage::make_private_folder(folder_);
    root_ = Descriptor(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!root_) storage::throw_errno("open the folder", folder_);
}

OpenFile Workspace::open(const std::string& path) const
{
    OpenFile out;
    if (!root_) return out;
    out.file = open_beneath(root_.get(), path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (!out.file) {
        if (errno == ELOOP) out.problem = "is or leads through a link";
        else if (errno != ENOENT && errno != ENOTDIR)
            out.problem = "cannot be read: " + std::error_code(errno, std::generic_category()).message();
        return out;
    }
    struct stat status{};
    if (::fstat(out.file.get(), &status) != 0 || !S_ISREG(status.st_mode)) out.problem = "is not a file";
    else if (status.st_nlink > 1) out.problem = "has another name too (a hard link)";
    else out.mark = mark_in(status);
    if (!out.problem.empty()) out.file = Descriptor();
    return out;
}

std::optional<Mark> Workspace::mark_of(int file)
{
    struct stat status{};
    if (::fstat(file, &status) != 0 || status.st_nlink > 1) return std::nullopt;
    return mark_in(status);
}

bool Workspace::list(std::vector<std::string>& paths, std::size_t most) const
{
    if (!root_) return true;
    const bool is_all = list_in(open_beneath(root_.get(), ".", O_RDONLY | O_DIRECTORY), "", 0, paths, most);
    std::ranges::sort(paths);
    return is_all;
}

Descriptor Workspace::folder_of(const std::string& path, std::string& name)
{
    make();
    const std::size_t slash = path.rfind('/');
    name = path.substr(slash + 1);  // npos + 1 is 0
    Descriptor folder = open_beneath(root_.get(), ".", O_RDONLY | O_DIRECTORY);
    for (std::size_t at = 0; folder && slash != std::string::npos && at <= slash;) {
        const std::size_t end = path.find('/', at);
        const std::string one = path.substr(at, end - at);
        if (::mkdirat(folder.get(), one.c_str(), storage::kPrivateFolder) != 0 && errno != EEXIST) return Descriptor();
        folder = open_beneath(folder.get(), one, O_RDONLY | O_DIRECTORY);
        at = end + 1;
    }
    return folder;
}

void Workspace::put(const std::string& path, int content)
{
    std::string name;
    const Descriptor folder = folder_of(path, name);
    if (!folder) cannot_put(path, errno);
    UnfinishedFile draft(folder.get(), path);
    if (!draft || !draft.copy(content) || ::fsync(draft.file()) != 0 || !draft.publish(name)) cannot_put(path, errno);
}

bool Workspace::show(const std::string& path, std::string_view text)
{
    std::string name;
    const Descriptor folder = folder_of(path, name);
    if (!folder) return false;
    UnfinishedFile draft(folder.get(), path);
    return draft && draft.write(text) && draft.publish(name);
}

bool Workspace::show(const std::string& path, int content, Time at)
{
    std::string name;
    const Descriptor folder = folder_of(path, name);
    if (!folder) return false;
    UnfinishedFile draft(folder.get(), path);
    if (!draft || !draft.copy(content)) return false;
    const timespec times[2] = {timespec_of(at), timespec_of(at)};
    return ::futimens(draft.file(), times) == 0 && ::fchmod(draft.file(), kCopy) == 0 && draft.publish(name);
}

bool Workspace::shows(const std::string& path, std::uint64_t size, Time at) const
{
    const Descriptor file = root_ ? open_beneath(root_.get(), path, O_PATH) : Descriptor();
    struct stat status{};
    return file && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
           static_cast<std::uint64_t>(status.st_size) == size && (status.st_mode & 07777) == kCopy &&
           nanoseconds(status.st_mtim) == nanoseconds(timespec_of(at));
}

std::vector<std::string> Workspace::names_in(const std::string& folder) const
{
    std::vector<std::string> names;
    Descriptor opened = root_ ? open_beneath(root_.get(), folder, O_RDONLY | O_DIRECTORY) : Descriptor();
    const std::unique_ptr<DIR, Close> list(opened ? ::fdopendir(opened.get()) : nullptr);
    if (!list) return names;
    opened.release();
    while (const dirent* item = ::readdir(list.get())) {  // NOLINT(concurrency-mt-unsafe): nobody else has this list
        const std::string_view name = item->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
    }
    return names;
}

void Workspace::remove(const std::string& path)
{
    const std::size_t slash = path.rfind('/');
    if (!root_ || slash == std::string::npos) return;
    const Descriptor folder = open_beneath(root_.get(), path.substr(0, slash), O_RDONLY | O_DIRECTORY);
    if (folder) ::unlinkat(folder.get(), path.substr(slash + 1).c_str(), 0);
}

}  // namespace cadre::artifacts
