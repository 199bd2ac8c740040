#include "cli/probe_storage.hpp"

#include "cli/environment.hpp"
#include "cli/layout.hpp"

#include <fmt/core.h>

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kEnoughDisk = std::uint64_t{1} << 30;
constexpr std::uint64_t kLeastDisk = std::uint64_t{100} << 20;

/// The folder itself, or the one above it that exists: where it would be created.
fs::path nearest_existing(fs::path path)
{
    std::error_code ignored;
    path = fs::absolute(path, ignored);
    while (path.has_parent_path() && path != path.root_path() && !fs::exists(path, ignored)) path = path.parent_path();
    return path;
}

Finding look_at_home()
{
    const auto path = home_folder();
    if (!path) return judge_home({});
    HomeFacts home{.path = path->string()};
    struct stat entry{};
    home.exists = ::stat(path->c_str(), &entry) == 0;
    home.is_folder = S_ISDIR(entry.st_mode);
    home.is_ours = entry.st_uid == ::geteuid();
    home.permissions = entry.st_mode & 07777;
    const fs::path place = nearest_existing(*path);
    std::error_code ignored;
    home.writable = fs::is_directory(place, ignored) && ::access(place.c_str(), W_OK | X_OK) == 0;
    return judge_home(home);
}

Finding look_at_disk()
{
    const auto home = home_folder();
    struct statvfs disk{};
    if (!home || ::statvfs(nearest_existing(*home).c_str(), &disk) != 0)
        return {Status::warning, "unknown: the home folder cannot be looked at", "see the check \"home\""};
    return judge_disk(std::uint64_t{disk.f_bavail} * disk.f_frsize);
}

constexpr Probe kProbes[] = {{"home", look_at_home}, {"disk", look_at_disk}};

}  // namespace

Finding judge_home(const HomeFacts& home)
{
    const auto& path = home.path;
    if (path.empty())
        return {Status::failed, "neither CADRE_HOME nor HOME is set", "export CADRE_HOME=/a/folder/of/yours"};
    if (home.exists && !home.is_folder)
        return {Status::failed, path + " is not a folder", "move it away, or set CADRE_HOME to another place"};
    if (!home.writable)
        return {Status::failed, fmt::format("{} cannot be {}", path, home.exists ? "written" : "created"),
                "set CADRE_HOME to a folder that you may write"};
    if (!home.exists) return {.found = path + " does not exist yet and can be created"};
    if (!home.is_ours)
        return {Status::warning, path + " belongs to another user", "set CADRE_HOME to a folder of yours"};
    if (home.permissions & 0077)
        return {Status::warning, fmt::format("{} is open to other users (mode {:04o})", path, home.permissions),
                fmt::format("chmod 700 '{}'", path)};
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
    return kProbes;
}

}  // namespace cadre::cli
