#include "storage/home.hpp"

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

}  // namespace

std::optional<HomeLock> HomeLock::try_acquire(const fs::path& folder)
{
    make_private_folder(folder);
    struct stat facts{};
    const bool open = ::stat(folder.c_str(), &facts) == 0 && (facts.st_mode & 0077) != 0 && facts.st_uid == ::geteuid();
    if (open && ::chmod(folder.c_str(), 0700) != 0)
        throw_errno("set the mode of", folder);  // what people ask is theirs
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
