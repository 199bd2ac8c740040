#include "net/process_tree.hpp"

#include <algorithm>
#include <csignal>
#include <dirent.h>
#include <fstream>
#include <set>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace cadre::net {

namespace {

/// Against a descendant that forks faster than we look.
constexpr int kMostRounds = 50;
constexpr std::size_t kMostAtOnce = 100'000;
/// Each is a descriptor of ours.
constexpr std::size_t kMostHeld = 64;

void add_children(pid_t parent, std::vector<pid_t>& found)
{
    const std::string threads = "/proc/" + std::to_string(parent) + "/task";
    DIR* folder = ::opendir(threads.c_str());
    if (!folder) return;
    while (const dirent* entry = ::readdir(folder)) {  // NOLINT(concurrency-mt-unsafe): the stream is ours alone
        if (entry->d_name[0] == '.') continue;
        std::ifstream children(threads + "/" + entry->d_name + "/children");
        for (pid_t child = 0; children >> child;) found.push_back(child);
    }
    ::closedir(folder);
}

}  // namespace

std::vector<pid_t> descendants_of(pid_t root, std::size_t most)
{
    std::vector<pid_t> found;
    add_children(root, found);
    for (std::size_t i = 0; i < found.size() && found.size() < most; ++i) add_children(found[i], found);
    if (found.size() > most) found.resize(most);
    return found;
}

void kill_descendants(pid_t root) noexcept
try {
    ::kill(root, SIGSTOP);  // it starts no more of them, and reaps none whose number could become another's
    std::set<pid_t> killed;
    int quiet = 0;  // rounds; one is not enough: an orphan may be adopted behind our back while we look
    for (int round = 0; round < kMostRounds && quiet < 2; ++round) {
        bool news = false;
        for (const pid_t pid : descendants_of(root, kMostAtOnce)) {
            if (!killed.insert(pid).second) continue;
            ::kill(pid, SIGKILL);
            news = true;
        }
        quiet = news ? 0 : quiet + 1;
    }
} catch (...) {  // no memory: the group is killed all the same
}

Descendants::Descendants(pid_t root) noexcept
try {
    for (const pid_t pid : descendants_of(root, kMostHeld)) {
        const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
        if (descriptor < 0) continue;
        held_.push_back(descriptor);
        // not one that was given the number meanwhile
        const std::vector<pid_t> still = descendants_of(root, kMostHeld);
        if (std::ranges::find(still, pid) != still.end()) continue;
        ::close(descriptor);
        held_.pop_back();
    }
} catch (...) {  // no memory: the group is killed all the same
}

Descendants::~Descendants()
{
    for (const int descriptor : held_) ::close(descriptor);
}

void Descendants::kill() const noexcept
{
    for (const int descriptor : held_) ::syscall(SYS_pidfd_send_signal, descriptor, SIGKILL, nullptr, 0);
}

}  // namespace cadre::net
