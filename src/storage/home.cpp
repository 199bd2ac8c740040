#include "storage/home.hpp"

#include "base/error.hpp"

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cadre::storage {

namespace {

namespace fs = std::filesystem;

fs::path lock_file(const fs::path& folder)
{
    return folder / "lock";
}

/// What people ask is theirs.
void close_to_others(const fs::path& path, unsigned mode)
{
    struct stat facts{};
    const bool open = ::lstat(path.c_str(), &facts) == 0 && !S_ISLNK(facts.st_mode) && (facts.st_mode & 0077) != 0 &&
                      facts.st_uid == ::geteuid();
    if (open && ::chmod(path.c_str(), mode) != 0) throw_errno("set the mode of", path);
}

/// Whoever can write into a home can put tasks into it, and whoever owns it can take it away. A folder that others share is no home, and
/// is not made one by closing it to them.
void expect_ours(const fs::path& folder)
{
    struct stat facts{};
    if (::stat(folder.c_str(), &facts) != 0) throw_errno("look at", folder);
    if (facts.st_uid != ::geteuid())
        throw Error(Code::forbidden, "the home " + folder.string() + " belongs to another user (number " +
                                         std::to_string(facts.st_uid) +
                                         "); set CADRE_HOME to a folder of your own, or run as its owner");
    if ((facts.st_mode & 0002) == 0) return;
    std::error_code error;
    const bool is_shared =
        (facts.st_mode & S_ISVTX) != 0 || (!fs::is_empty(folder, error) && !fs::exists(folder / "lock", error));
    if (is_shared)
        throw Error(Code::forbidden, "the folder " + folder.string() +
                                         " is open to others and has other things in it, so it is not made a home of "
                                         "Cadre; choose another, or close it first: chmod 700 " +
                                         folder.string());
}

}  // namespace

std::optional<HomeLock> HomeLock::try_acquire(const fs::path& folder)
{
    make_private_folder(folder);
    expect_ours(folder);
    close_to_others(folder, kPrivateFolder);
    for (const char* file : {"cadre.db", "cadre.db-wal", "cadre.db-shm", "mcp_tools.json"})
        close_to_others(folder / file, kPrivateFile);
    const fs::path path = lock_file(folder);
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file || ::fchmod(file.get(), 0600) != 0) throw_errno("open", path);
    while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return std::nullopt;
        if (errno != EINTR) throw_errno("lock", path);
    }
    // the file stays for ever: to remove it would let two processes lock two files of one name
    const std::string pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(file.get(), 0) != 0 || ::pwrite(file.get(), pid.data(), pid.size(), 0) < 0)
        throw_errno("write", path);
    return HomeLock(std::move(file));
}

HomeLock::~HomeLock()
{
    if (file_ && ::ftruncate(file_.get(), 0) != 0) {}  // only the message to others would have been better
}

std::optional<int> owner_pid(const fs::path& folder)
{
    const auto text = find_file(lock_file(folder));
    int pid = 0;
    const bool known = text && std::from_chars(text->data(), text->data() + text->size(), pid).ec == std::errc{};
    return known && pid > 0 ? std::optional(pid) : std::nullopt;
}

}  // namespace cadre::storage
