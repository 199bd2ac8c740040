#include "storage/beneath.hpp"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cadre::storage {

namespace {

/// How often a rename may cross our way.
constexpr int kAttempts = 16;

}  // namespace

Descriptor open_beneath(int root, const std::string& path, int flags, mode_t mode)
{
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
    how.mode = mode;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    long opened = -1;
    int attempts = kAttempts;
    do opened = ::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how);
    while (opened < 0 && (errno == EINTR || (errno == EAGAIN && --attempts > 0)));
    return Descriptor(static_cast<int>(opened));
}

}  // namespace cadre::storage
