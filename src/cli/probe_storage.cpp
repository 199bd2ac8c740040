#include "cli/probe_storage.hpp"

#include "cli/environment.hpp"
#include "cli/layout.hpp"
#include "cli/shell_word.hpp"
#include "config/project.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kEnoughDisk = std::uint64_t{1} << 30;
constexpr std::uint64_t kLeastDisk = std::uint64_t{100} << 20;
constexpr std::size_t kLongestPath = PATH_MAX - NAME_MAX - 2;  // with `/`, a file's name and the end of the string

// The system's, with all that is in them.
constexpr std::string_view kSystem[] = {"/bin",   "/boot", "/dev",  "/etc", "/lib",
                                        "/lib64", "/proc", "/sbin", "/sys", "/usr"};
// Where everybody has folders; those are fine.
constexpr std::string_view kShared[] = {"/",        "/home",    "/media",     "/mnt",    "/opt",       "/root",
                                        "/run",     "/srv",     "/tmp",       "/var",    "/var/cache", "/var/lib",
                                        "/var/log", "/var/opt", "/var/spool", "/var/tmp"};

/// The entry itself, or the nearest above it that exists, if only as a link that leads nowhere.
std::string nearest_existing(std::string path)
{
    struct stat entry{};
    while (path.size() > 1 && ::lstat(path.c_str(), &entry) != 0)
        path.resize(std::max<std::size_t>(path.rfind('/'), 1));
    return path;
}

bool is_for_others(const std::string& path)
{
    std::error_code ignored;
    const std::string folder = fs::canonical(path, ignored).string();
    return std::ranges::find(kShared, folder) != std::end(kShared) ||
           std::ranges::any_of(kSystem, [&](auto top) { return (folder + "/").starts_with(fmt::format("{}/", top)); });
}

HomeFacts home_facts()
{
    const auto path = config::find_home(environment);
    const auto usual = config::find_default_home(environment);
    HomeFacts home{.path = path.value_or("").string(), .has_default = usual && path != usual};
    if (!home.path.starts_with('/')) return home;
    home.place = nearest_existing(home.path);
    home.exists = home.place == home.path;
    struct stat entry{};
    home.is_folder = ::stat(home.place.c_str(), &entry) == 0 && S_ISDIR(entry.st_mode);
    struct statvfs disk{};
    home.keeps_files = ::statvfs(home.place.c_str(), &disk) == 0 && disk.f_blocks != 0;
    home.writable = ::access(home.place.c_str(), W_OK | X_OK) == 0;
    home.is_for_others = (entry.st_mode & S_ISVTX) || is_for_others(home.place);
    home.is_ours = entry.st_uid == ::geteuid();
    home.permissions = entry.st_mode & 07777;
    return home;
}

Finding look_at_home()
{
    return judge_home(home_facts());
}

Finding look_at_disk()
{
    const HomeFacts home = home_facts();
    struct statvfs disk{};
    if (judge_home(home).status == Status::failed || ::statvfs(home.place.c_str(), &disk) != 0)
        return {Status::warning, "unknown until there is a home folder", "see the check \"home\""};
    const std::uint64_t free_bytes = std::uint64_t{disk.f_bavail} * disk.f_frsize;
    Finding finding = judge_disk(free_bytes);
    finding.value = {{"free_bytes", free_bytes}};
    return finding;
}

/// Room is left for the names of the files in it.
bool is_too_long(const fs::path& path)
{
    return path.native().size() > kLongestPath ||
           std::ranges::any_of(path, [](const fs::path& name) { return name.native().size() > NAME_MAX; });
}

constexpr Probe kStorageProbes[] = {{"home", look_at_home}, {"disk", look_at_disk}};

}  // namespace

Finding judge_home(const HomeFacts& home)
{
    const auto& path = home.path;
    const std::string fix = home.has_default ? "use a folder of its own, for example CADRE_HOME=$HOME/.multi-agent"
                                             : "set CADRE_HOME to a folder of its own that you may write";
    if (path.empty()) return {Status::failed, "neither CADRE_HOME nor HOME is set", fix};
    if (is_too_long(path))
        return {Status::failed,
                fmt::format("the path is too long: at most {} bytes, {} for each name", kLongestPath, NAME_MAX), fix};
    if (!path.starts_with('/'))
        return {Status::failed, path + " must be absolute: as it is, it depends on the folder in which you start Cadre",
                fix};
    if (!home.is_folder) return {Status::failed, home.place + " is neither a folder nor a link to one", fix};
    if (!home.keeps_files)
        return {Status::failed, path + " is a file system of the kernel; choose a folder on a disk", fix};
    if (!home.writable)
        return {Status::failed, fmt::format("{} cannot be {}", path, home.exists ? "written" : "created"), fix};
    if (!home.exists) return {.found = path + " does not exist yet and can be created"};
    if (home.is_for_others) return {Status::warning, path + " is for the system or for everyone", fix};
    if (!home.is_ours) return {Status::warning, path + " belongs to another user", fix};
    if (home.permissions & 0077)
        return {Status::warning, fmt::format("{} is open to other users (mode {:04o})", path, home.permissions),
                "chmod 700 " + shell_word(path)};
    return {.found = fmt::format("{}, yours alone", path)};
}

Finding judge_disk(std::uint64_t free_bytes)
{
    const std::string found = size_text(free_bytes) + " free where the home folder is";
    if (free_bytes >= kEnoughDisk) return {.found = found};
    if (free_bytes >= kLeastDisk)
        return {Status::warning, found,
                fmt::format("free some space: {} is a comfortable minimum", size_text(kEnoughDisk))};
    return {Status::failed, found,
            fmt::format("free some space, or set CADRE_HOME to another disk: less than {} is too little",
                        size_text(kLeastDisk))};
}

std::span<const Probe> storage_probes()
{
    return kStorageProbes;
}

}  // namespace cadre::cli
