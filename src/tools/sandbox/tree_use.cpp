#include "tools/sandbox/tree_use.hpp"

#include "net/process_tree.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace cadre::tools {

namespace {

/// Resident pages that are not of files; of what is shared, as with /dev/shm, everybody who has it is charged.
std::uint64_t memory_of(pid_t pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/status");
    std::uint64_t kilobytes = 0;
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("RssAnon:") || line.starts_with("RssShmem:"))
            kilobytes += std::stoull(line.substr(line.find(':') + 1));
    return kilobytes << 10;
}

/// Of the process, each file once.
void add_unlinked(pid_t pid, std::map<std::pair<dev_t, ino_t>, std::uint64_t>& files)
{
    const std::string folder = "/proc/" + std::to_string(pid) + "/fd";
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator(folder, gone)) {
        struct stat status{};
        if (::stat(entry.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink > 0) continue;
        files[{status.st_dev, status.st_ino}] =
            std::max(static_cast<std::uint64_t>(status.st_blocks) * 512, static_cast<std::uint64_t>(status.st_size));
    }
}

}  // namespace

TreeUse use_of_tree(int pid, std::size_t most)
{
    TreeUse use;
    for (const pid_t one : net::descendants_of(pid, most)) {
        ++use.processes;
        use.memory += memory_of(one);
    }
    return use;
}

std::size_t scratch_files(int pid)
{
    std::size_t count = 0;
    for (const pid_t first : net::descendants_of(pid, 1))
        for (const char* folder : {"/tmp", "/dev/shm"}) {
            struct statvfs system{};
            const std::string path = "/proc/" + std::to_string(first) + "/root" + folder;
            if (::statvfs(path.c_str(), &system) == 0) count += system.f_files - system.f_ffree;
        }
    return count;
}

std::uint64_t unlinked_bytes(int pid, std::size_t most)
{
    std::map<std::pair<dev_t, ino_t>, std::uint64_t> files;
    for (const pid_t one : net::descendants_of(pid, most)) add_unlinked(one, files);
    std::uint64_t sum = 0;
    for (const auto& [file, bytes] : files) sum += bytes;
    return sum;
}

}  // namespace cadre::tools
