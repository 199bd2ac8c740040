#include "tools/builtin/beneath.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cadre::tools {

Descriptor::~Descriptor()
{
    if (number_ >= 0) ::close(number_);
}

Descriptor open_beneath(int root, const std::string& path, int flags, mode_t mode)
{
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
    how.mode = mode;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    long opened = -1;
    int attempts = kAttempts;
    do opened = ::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how);
    while (opened < 0 && (errno == EINTR || (errno == EAGAIN && --attempts > 0)));  // EAGAIN: a rename crossed its way
    return Descriptor(static_cast<int>(opened));
}

void raise_at(std::string_view path, int error)
{
    const std::string shown = in_quotes(path);
    switch (error) {
    case ENOENT: throw Error(Code::not_found, fmt::format("There is no {}; list_files shows what there is.", shown));
    case ELOOP:
        throw Error(Code::forbidden,
                    fmt::format("{} is or leads through a symbolic link, which is not followed.", shown));
    case EXDEV: throw Error(Code::forbidden, fmt::format("{} leads out of the workspace.", shown));
    case ENOTDIR:
        throw Error(Code::invalid,
                    fmt::format("{} is not a folder, or leads through something that is not one.", shown));
    case EISDIR: throw Error(Code::invalid, fmt::format("{} is a folder; give the path of a file.", shown));
    case ENXIO: throw Error(Code::invalid, fmt::format("{} is not a regular file; choose another path.", shown));
    case EAGAIN:
        throw Error(Code::unavailable, fmt::format("{} is being changed by something else; try again.", shown));
    case ENOSPC:
    case EDQUOT: throw Error(Code::unavailable, fmt::format("{} cannot be written: the disk is full.", shown));
    case ENOSYS:
        throw Error(Code::unavailable,
                    "Files are out of reach: this system's kernel has no openat2; Linux has it from 5.6 on.");
    default: throw Error(Code::unavailable, fmt::format("{} cannot be used: {}.", shown, system_says(error)));
    }
}

std::string system_says(int error)
{
    return std::error_code(error, std::generic_category()).message();
}

struct stat status_of(int file, std::string_view path)
{
    struct stat status{};
    if (::fstat(file, &status) != 0) raise_at(path, errno);
    return status;
}

}  // namespace cadre::tools
