#include "storage/files.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace cadre::storage {

namespace {

namespace fs = std::filesystem;

Descriptor open_file(const fs::path& path, int flags)
{
    return Descriptor(::open(path.c_str(), flags | O_CLOEXEC, kPrivateFile));
}

fs::path folder_of(const fs::path& path)
{
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

void write_all(int descriptor, std::string_view text, const fs::path& path)
{
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throw_errno("write", path);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1))
{}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept
{
    std::swap(number_, other.number_);
    return *this;
}

Descriptor::~Descriptor()
{
    if (number_ >= 0) ::close(number_);
}

void throw_errno(std::string_view what, const fs::path& path)
{
    const std::string reason = std::generic_category().message(errno);
    throw Error(Code::unavailable, fmt::format("cannot {} {}: {}", what, path.string(), reason));
}

void make_private_folder(const fs::path& folder)
{
    std::error_code ignored;  // mkdir says it better
    if (fs::is_directory(folder, ignored)) return;
    const fs::path above = folder_of(folder);
    make_private_folder(above);
    if (::mkdir(folder.c_str(), kPrivateFolder) != 0) {
        if (errno == EEXIST && fs::is_directory(folder, ignored)) return;  // somebody was quicker
        throw_errno("make the folder", folder);
    }
    if (::chmod(folder.c_str(), kPrivateFolder) != 0)
        throw_errno("set the mode of", folder);  // the umask took bits away
    sync_folder(above);
}

void make_private_file(const fs::path& file)
{
    const Descriptor made = open_file(file, O_WRONLY | O_CREAT | O_EXCL);
    if (!made && errno == EEXIST) return;
    if (!made) throw_errno("make", file);
    if (::fchmod(made.get(), kPrivateFile) != 0) throw_errno("set the mode of", file);
    sync_folder(folder_of(file));
}

void write_private_file(const fs::path& file, std::string_view text)
{
    const fs::path draft = file.string() + ".new";
    {
        const Descriptor made = open_file(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
        if (!made) throw_errno("write", draft);
        if (::fchmod(made.get(), kPrivateFile) != 0) throw_errno("set the mode of", draft);
        write_all(made.get(), text, draft);
        if (::fsync(made.get()) != 0) throw_errno("sync", draft);
    }
    if (::rename(draft.c_str(), file.c_str()) != 0) throw_errno("rename to", file);
    sync_folder(folder_of(file));
}

std::optional<std::string> find_file(const fs::path& file)
{
    const Descriptor opened = open_file(file, O_RDONLY);
    if (!opened && errno == ENOENT) return std::nullopt;
    struct stat facts{};
    if (!opened || ::fstat(opened.get(), &facts) != 0) throw_errno("read", file);
    std::string text(static_cast<std::size_t>(facts.st_size), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t got = ::read(opened.get(), text.data() + done, text.size() - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw_errno("read", file);
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    return text;
}

void sync_folder(const fs::path& folder)
{
    const Descriptor opened = open_file(folder, O_RDONLY | O_DIRECTORY);
    if (!opened || ::fsync(opened.get()) != 0) throw_errno("sync the folder", folder);
}

}  // namespace cadre::storage
