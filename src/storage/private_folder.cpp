#include "storage/private_folder.hpp"

#include "base/error.hpp"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace cadre::storage {

namespace {

namespace fs = std::filesystem;

Descriptor open_at(int folder, const std::string& name, int flags)
{
    return Descriptor(::openat(folder, name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, kPrivateFile));
}

Descriptor open_folder(int above, const std::string& name)
{
    return open_at(above, name, O_RDONLY | O_DIRECTORY);
}

/// Whatever the umask. Looking is much cheaper than setting.
bool ensure_mode(int file, mode_t mode)
{
    struct stat facts{};
    return ::fstat(file, &facts) == 0 && ((facts.st_mode & 07777) == mode || ::fchmod(file, mode) == 0);
}

/// `is_missing`: most likely.
Descriptor make_folder(int above, const std::string& name, const fs::path& shown, bool is_missing = false)
{
    if (!is_missing) {
        if (Descriptor found = open_folder(above, name)) return found;
        if (errno != ENOENT) throw_errno("open the folder", shown);
    }
    if (::mkdirat(above, name.c_str(), kPrivateFolder) != 0 && errno != EEXIST) throw_errno("make the folder", shown);
    Descriptor made = open_folder(above, name);
    if (!made || !ensure_mode(made.get(), kPrivateFolder)) throw_errno("make the folder", shown);
    return made;
}

bool write_all(int file, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

fs::path draft_of(const fs::path& folder)
{
    return folder.parent_path() / ("." + folder.filename().string() + ".new");
}

struct Close {
    void operator()(DIR* folder) const { ::closedir(folder); }
};

/// Calls `visit` with everything in the folder: its descriptor, a name and what that is.
template <class Visit>
void for_each_in(Descriptor folder, const fs::path& shown, const Visit& visit)
{
    const std::unique_ptr<DIR, Close> list(folder ? ::fdopendir(folder.release()) : nullptr);
    if (!list) throw_errno("read the folder", shown);
    const int inside = ::dirfd(list.get());
    while (const dirent* item = ::readdir(list.get())) {
        const std::string_view name = item->d_name;
        if (name != "." && name != "..") visit(inside, std::string(name), item->d_type);
    }
}

/// `type` as the folder says it; some file systems do not.
std::uint64_t size_at(int folder, const std::string& name, unsigned char type, const fs::path& shown)
{
    struct stat facts{};
    if (type != DT_DIR) {
        if (type != DT_REG && type != DT_UNKNOWN) return 0;
        if (::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return 0;
        if (S_ISREG(facts.st_mode)) return static_cast<std::uint64_t>(facts.st_size);
        if (!S_ISDIR(facts.st_mode)) return 0;
    }
    Descriptor inner = open_folder(folder, name);
    std::uint64_t size = 0;
    if (inner)
        for_each_in(std::move(inner), shown, [&](int inside, const std::string& item, unsigned char kind) {
            size += size_at(inside, item, kind, shown);
        });
    return size;
}

/// A folder that whoever made it has closed, even for themselves. A link is not followed.
Descriptor open_closed_folder(int above, const std::string& name)
{
    const Descriptor place = open_at(above, name, O_PATH | O_DIRECTORY);
    if (!place) return Descriptor();
    const std::string self = "/proc/self/fd/" + std::to_string(place.get());
    if (::chmod(self.c_str(), kPrivateFolder) != 0) return Descriptor();
    return open_folder(above, name);
}

void remove_at(int folder, const std::string& name, const fs::path& shown)
{
    if (::unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) return;
    if (errno != EISDIR && errno != EPERM) throw_errno("remove", shown / name);
    Descriptor inner = open_folder(folder, name);
    if (!inner && errno == EACCES) inner = open_closed_folder(folder, name);
    if (!inner || !ensure_mode(inner.get(), kPrivateFolder)) throw_errno("remove", shown / name);
    for_each_in(std::move(inner), shown / name,
                [&](int inside, const std::string& item, unsigned char) { remove_at(inside, item, shown / name); });
    if (::unlinkat(folder, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) throw_errno("remove", shown / name);
}

}  // namespace

PrivateFolder::PrivateFolder(fs::path path, Descriptor self) : path_(std::move(path)), self_(std::move(self))
{}

PrivateFolder::PrivateFolder(const fs::path& folder)
    : PrivateFolder(folder, make_folder(AT_FDCWD, folder.string(), folder))
{}

std::optional<PrivateFolder> PrivateFolder::find(const fs::path& folder)
{
    Descriptor self = open_folder(AT_FDCWD, folder.string());
    if (self) return PrivateFolder(folder, std::move(self));
    if (errno != ENOENT) throw_errno("open the folder", folder);
    return std::nullopt;
}

PrivateFolder PrivateFolder::draft(const fs::path& folder)
{
    const fs::path unseen = draft_of(folder);
    if (::mkdir(unseen.c_str(), kPrivateFolder) != 0 && errno == EEXIST) {
        remove_at(AT_FDCWD, unseen.string(), unseen.parent_path());
        ::mkdir(unseen.c_str(), kPrivateFolder);
    }
    Descriptor self = open_folder(AT_FDCWD, unseen.string());
    if (!self || !ensure_mode(self.get(), kPrivateFolder)) throw_errno("make the folder", unseen);
    PrivateFolder made(folder, std::move(self));
    made.unseen_ = true;
    return made;
}

bool PrivateFolder::publish()
{
    const fs::path unseen = draft_of(path_);
    unseen_ = false;
    if (::rename(unseen.c_str(), path_.c_str()) == 0) return true;
    if (errno != EEXIST && errno != ENOTEMPTY) throw_errno("make the folder", path_);
    remove_at(AT_FDCWD, unseen.string(), unseen.parent_path());
    return false;
}

std::pair<int, std::string> PrivateFolder::place_of(std::string_view name)
{
    int folder = self_.get();
    std::size_t start = 0;
    for (auto slash = name.find('/'); slash != name.npos; start = slash + 1, slash = name.find('/', start)) {
        const std::string_view inner = name.substr(0, slash);
        auto known = folders_.find(inner);
        if (known == folders_.end())
            known = folders_
                        .emplace(inner, make_folder(folder, std::string(inner.substr(start)),
                                                    path_ / std::string(inner), unseen_))
                        .first;
        folder = known->second.get();
    }
    return {folder, std::string(name.substr(start))};
}

bool PrivateFolder::make(int folder, const std::string& last, std::string_view text) const
{
    const Descriptor made = open_at(folder, last, O_WRONLY | O_CREAT | O_EXCL);
    if (!made && errno == EEXIST) return false;
    if (!made || !ensure_mode(made.get(), kPrivateFile) || !write_all(made.get(), text))
        throw_errno("write", path_ / last);
    return true;
}

void PrivateFolder::replace(std::string_view name, std::string_view text)
{
    const auto [folder, last] = place_of(name);
    if (unseen_ && make(folder, last, text)) return;
    const std::string draft = "." + last + ".new";
    ::unlinkat(folder, draft.c_str(), 0);  // of a write that was interrupted
    if (!make(folder, draft, text) || ::renameat(folder, draft.c_str(), folder, last.c_str()) != 0)
        throw_errno("write", path_ / name);
}

bool PrivateFolder::append(std::string_view name, std::uint64_t size, std::string_view text)
{
    const auto [folder, last] = place_of(name);
    if (size == 0) {
        if (make(folder, last, text)) return true;
        ::unlinkat(folder, last.c_str(), 0);  // a link, perhaps; what it was does not matter any more
        if (make(folder, last, text)) return true;
        throw_errno("write", path_ / name);
    }
    const Descriptor file = open_at(folder, last, O_WRONLY);
    if (!file && (errno == ENOENT || errno == ELOOP)) return false;
    struct stat facts{};
    if (!file || ::fstat(file.get(), &facts) != 0) throw_errno("write", path_ / name);
    if (!S_ISREG(facts.st_mode) || static_cast<std::uint64_t>(facts.st_size) < size) return false;
    const auto end = static_cast<off_t>(size);
    if ((facts.st_size > end && ::ftruncate(file.get(), end) != 0) || ::lseek(file.get(), end, SEEK_SET) != end ||
        !write_all(file.get(), text))
        throw_errno("write", path_ / name);
    return true;
}

std::optional<std::string> PrivateFolder::read(std::string_view name, std::size_t limit)
{
    const auto [folder, last] = place_of(name);
    const Descriptor file = open_at(folder, last, O_RDONLY);
    struct stat facts{};
    if (!file || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
    if (static_cast<std::uint64_t>(facts.st_size) > limit) return std::nullopt;
    std::string text(static_cast<std::size_t>(facts.st_size), '\0');
    const ssize_t got = ::read(file.get(), text.data(), text.size());
    if (got != facts.st_size) return std::nullopt;
    return text;
}

void PrivateFolder::each(const std::function<void(const std::string&)>& visit) const
{
    for_each_in(open_folder(self_.get(), "."), path_,
                [&](int, const std::string& name, unsigned char) { visit(name); });
}

std::uint64_t PrivateFolder::size_of(const std::function<bool(const std::string& name)>& counts) const
{
    std::uint64_t size = 0;
    for_each_in(open_folder(self_.get(), "."), path_, [&](int inside, const std::string& name, unsigned char type) {
        if (counts(name)) size += size_at(inside, name, type, path_);
    });
    return size;
}

void PrivateFolder::remove(const std::string& name)
{
    folders_.clear();
    remove_at(self_.get(), name, path_);
}

}  // namespace cadre::storage
